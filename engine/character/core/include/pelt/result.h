// SPDX-License-Identifier: MIT
// The result of every operation that may fail: a value, or an error that says why in words.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace pelt {

enum class ErrorCode {
  kInvalidArgument,  // the caller's parameters make no sense together
  kNotFound,         // a file, mesh, joint, clip or device that was named does not exist
  kReadFailed,       // the operating system refused to read
  kWriteFailed,      // the operating system refused to write
  kInvalidFile,      // the file's contents break its format
  kUnsupported,      // valid, but needs something that is not available here
  kDeviceFailed,     // Vulkan refused or lost the device
  kStopped,          // who asked for it no longer wants it
};

// `message` is one sentence that names the file and the place: mesh, vertex, joint, key.
struct Error {
  ErrorCode code;
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

// Returns the result; an error's message says first where it is.
template <class T>
Result<T> within(const std::string& place, Result<T> result) {
  if (!result) result.error().message.insert(0, place + ": ");
  return result;
}

}  // namespace pelt
