// SPDX-License-Identifier: MIT
// The pipelines that move skin.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>
#include <pelt/runtime/compute_kernel.h>
#include <pelt/runtime/device.h>

namespace pelt::runtime {

// The pipelines of a device, by their shaders and specialization constants.
using SkinningPipelines = std::map<std::pair<const std::uint32_t*, std::vector<std::uint32_t>>, ComputeKernel>;

// Return a pipeline of the device, which is made on first use and kept. Thread-safe. `specialization`: constants of
// shaders/blend/blend.h.
Result<const ComputeKernel*> plan_kernel(const Device& device);
Result<const ComputeKernel*> palette_kernel(const Device& device, PoseKernel kernel);
Result<const ComputeKernel*> bounds_kernel(const Device& device);
Result<const ComputeKernel*> blend_kernel(const Device& device, const std::vector<std::uint32_t>& specialization);
Result<const ComputeKernel*> normals_kernel(const Device& device, const std::vector<std::uint32_t>& specialization);

}  // namespace pelt::runtime
