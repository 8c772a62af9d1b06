// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <glm/glm.hpp>
#include <span>
#include <string>

#include <pelt/character.h>
#include <pelt/evaluate.h>
#include <pelt/result.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/device.h>

#include "samples/pelt/input.h"
#include "samples/renderer/framing.h"

namespace pelt::samples {

struct GpuOptions {
  std::string device;     // DeviceOptions::select
  bool validate = false;  // validation layer on; a message fails the command
  bool robust = true;     // DeviceOptions::robust_buffer_access
};

// Makes a device, calls body with it, destroys it. Validation messages go to stderr as they come, including those of
// the destruction; if there was one, success becomes an error.
Result<void> with_device(const GpuOptions& options, const std::function<Result<void>(const runtime::Device&)>& body);

// Moves the character on the CPU through these frames, and returns where the last one puts it.
Evaluator evaluated(const Character& character, std::span<const TimedPose> frames);

// Compares the crowd's first instance, which was given these frames and moved in each, with the CPU: returns the
// largest distance of a vertex, relative to the character's size.
Result<double> difference_from_cpu(const runtime::Device& device, const runtime::Crowd& crowd,
                                   const Character& character, std::span<const TimedPose> frames);
inline Result<double> difference_from_cpu(const runtime::Device& device, const runtime::Crowd& crowd,
                                          const Character& character, const InstancePose& pose) {
  const TimedPose only{pose, 0};
  return difference_from_cpu(device, crowd, character, std::span(&only, 1));
}

}  // namespace pelt::samples
