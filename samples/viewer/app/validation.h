// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include <pelt/result.h>
#include <pelt/runtime/device.h>

#include "samples/viewer/app/run.h"

namespace pelt::viewer {

// Counts what the validation layer says, and passes it on to stderr. Outlives the devices.
class Validation {
 public:
  Validation() = default;
  Validation(const Validation&) = delete;
  Validation& operator=(const Validation&) = delete;

  runtime::DeviceOptions device_options(const RunOptions& options);

  // After the devices are gone: where there was a message, success becomes an error.
  Result<void> judge(const Result<void>& done) const;

 private:
  std::size_t messages_ = 0;
};

}  // namespace pelt::viewer
