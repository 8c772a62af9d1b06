// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include <pelt/result.h>
#include <pelt/runtime/device.h>

#include "samples/viewer/app/run.h"

namespace pelt::viewer {

// Counts the messages of the validation layer and passes them on to stderr. Must outlive the devices.
class Validation {
 public:
  Validation() = default;
  Validation(const Validation&) = delete;
  Validation& operator=(const Validation&) = delete;

  runtime::DeviceOptions device_options(const RunOptions& options);

  // Call it when the devices are gone: if there was a message, success becomes an error.
  Result<void> judge(const Result<void>& done) const;

 private:
  std::size_t messages_ = 0;
};

}  // namespace pelt::viewer
