// SPDX-License-Identifier: MIT
// The result of every operation that may fail: a value, or an error with its reason in words.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace pelt {

enum class ErrorCode {
  kInvalidArgument,  // the caller's parameters are invalid
  kNotFound,         // a file, mesh, joint, clip or device of that name does not exist
  kReadFailed,       // the operating system refused to read
  kWriteFailed,      // the operating system refused to write
  kInvalidFile,      // the file's contents violate its format
  kUnsupported,      // valid, but needs something that is not available here
  kDeviceFailed,     // Vulkan refused or lost the device
  kStopped,          // the caller cancelled it
  kOutOfMemory,      // operator new, the caller's memory callbacks or Vulkan refused memory
};

// `message` is one sentence that names the file and the location: mesh, vertex, joint, key.
struct Error {
  ErrorCode code;
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

// Returns the result; prefixes an error's message with its location.
template <class T>
Result<T> within(const std::string& place, Result<T> result) {
  if (!result) result.error().message.insert(0, place + ": ");
  return result;
}

}  // namespace pelt
