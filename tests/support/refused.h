// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include <pelt/result.h>

namespace pelt::test {

// Returns the message of a call's error, or "" if it has none.
template <class T>
std::string error_of(const Result<T>& result) {
  return result ? "" : result.error().message;
}

// Tells whether a call failed with these words in its message.
template <class T>
testing::AssertionResult refused(const Result<T>& result, std::string_view words) {
  if (result) return testing::AssertionFailure() << "no error, instead of: " << words;
  if (result.error().message.find(words) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "the error is: " << result.error().message << ", not: " << words;
}

// Tells whether it also has this code.
template <class T>
testing::AssertionResult refused(const Result<T>& result, ErrorCode code, std::string_view words = "") {
  if (result || result.error().code == code) return refused(result, words);
  return testing::AssertionFailure() << "another code, and the message: " << result.error().message;
}

}  // namespace pelt::test
