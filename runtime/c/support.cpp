// SPDX-License-Identifier: MIT
#include "runtime/c/support.h"

#include <pelt/version.h>

namespace pelt::c {
namespace {

// Has a fixed size, so that out-of-memory errors can be reported too.
thread_local char last_error[2048] = "";

}  // namespace

pelt_result to_result(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return PELT_ERROR_INVALID_ARGUMENT;
    case ErrorCode::kNotFound:
      return PELT_ERROR_NOT_FOUND;
    case ErrorCode::kReadFailed:
      return PELT_ERROR_READ_FAILED;
    case ErrorCode::kWriteFailed:
      return PELT_ERROR_WRITE_FAILED;
    case ErrorCode::kInvalidFile:
      return PELT_ERROR_INVALID_FILE;
    case ErrorCode::kUnsupported:
      return PELT_ERROR_UNSUPPORTED;
    case ErrorCode::kDeviceFailed:
      return PELT_ERROR_DEVICE_FAILED;
    case ErrorCode::kStopped:
      return PELT_ERROR_STOPPED;
    case ErrorCode::kOutOfMemory:
      return PELT_ERROR_OUT_OF_MEMORY;
  }
  return PELT_ERROR_INTERNAL;
}

pelt_result fail_with(pelt_result result, const char* function, const char* message) noexcept {
  write_formatted(last_error, "{}: {}", function, message);
  return result;
}

const char* last_failure() noexcept { return last_error; }

#define PELT_TEXT_OF(number) #number
#define PELT_TEXT(number) PELT_TEXT_OF(number)

const char* version_text() noexcept {
  return PELT_TEXT(PELT_VERSION_MAJOR) "." PELT_TEXT(PELT_VERSION_MINOR) "." PELT_TEXT(PELT_VERSION_PATCH);
}

}  // namespace pelt::c
