// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <type_traits>
#include <utility>

#include <pelt/result.h>

namespace pelt::test {

// Returns the result of a call; ends the test with the error's message if it failed.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace pelt::test
