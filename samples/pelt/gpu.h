// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "engine/core/result.h"
#include "runtime/device.h"

namespace pelt::samples {

struct GpuOptions {
  std::string device;     // DeviceOptions::select
  bool validate = false;  // validation layer on; a message fails the command
};

// Makes a device, calls body with it, destroys it. Validation messages go to stderr as they come, those of the
// destruction too; where there was one, success becomes an error.
Result<void> with_device(const GpuOptions& options, const std::function<Result<void>(const runtime::Device&)>& body);

}  // namespace pelt::samples
