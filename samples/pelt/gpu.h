// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <glm/glm.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

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
  bool validate = false;  // validation layer on; any message fails the command
  bool robust = true;     // DeviceOptions::robust_buffer_access
};

// Thrown if there is no usable Vulkan device. The program then ends with its own exit code, so that its caller can
// use the CPU instead.
struct NoDevice : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Returns the value, or throws NoDevice with the reason.
template <class T>
T usable(Result<T> result) {
  if (!result) throw NoDevice(result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// Makes a device (or throws NoDevice), calls body with it, destroys it. Validation messages go to stderr immediately,
// including those of the destruction; if there was one, success becomes an error.
Result<void> with_device(const GpuOptions& options, const std::function<Result<void>(const runtime::Device&)>& body);

// Moves a character on the CPU by a frame, or poses the first instance of a crowd.
void move(Evaluator& evaluator, const TimedPose& frame);
void pose(runtime::Crowd& crowd, const TimedPose& frame);

// Moves the character on the CPU through these frames, and returns the evaluator after the last one.
Evaluator evaluated(const Character& character, std::span<const TimedPose> frames);

// Compares the crowd's first instance, which was posed and moved in each of these frames, with the CPU. Returns the
// largest distance of a vertex, relative to the character's size.
Result<double> difference_from_cpu(const runtime::Device& device, const runtime::Crowd& crowd,
                                   const Character& character, std::span<const TimedPose> frames);
inline Result<double> difference_from_cpu(const runtime::Device& device, const runtime::Crowd& crowd,
                                          const Character& character, const InstancePose& pose) {
  const TimedPose only{pose, 0};
  return difference_from_cpu(device, crowd, character, std::span(&only, 1));
}

}  // namespace pelt::samples
