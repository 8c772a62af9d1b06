// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <glm/glm.hpp>
#include <span>
#include <string>

#include <pelt/character.h>
#include <pelt/result.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/device.h>

#include "samples/renderer/framing.h"

namespace pelt::samples {

struct GpuOptions {
  std::string device;     // DeviceOptions::select
  bool validate = false;  // validation layer on; a message fails the command
};

// Makes a device, calls body with it, destroys it. Validation messages go to stderr as they come, those of the
// destruction too; where there was one, success becomes an error.
Result<void> with_device(const GpuOptions& options, const std::function<Result<void>(const runtime::Device&)>& body);

// The largest distance of a vertex of the crowd's first instance, which was given `pose` and moved, from where the
// CPU puts it, relative to the character's size.
Result<double> difference_from_cpu(const runtime::Device& device, const runtime::Crowd& crowd,
                                   const Character& character, const InstancePose& pose);

}  // namespace pelt::samples
