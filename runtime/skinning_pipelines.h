// SPDX-License-Identifier: MIT
// The pipelines that move skin.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <pelt/result.h>
#include <pelt/runtime/compute_kernel.h>
#include <pelt/runtime/crowd_frame.h>
#include <pelt/runtime/device.h>

namespace pelt::runtime {

// The pipelines of a device, by their shaders and specialization constants.
using SkinningPipelines = std::map<std::pair<const std::uint32_t*, std::vector<std::uint32_t>>, ComputeKernel>;

// Returns the pipeline of a kernel, which is made on first use and kept. Thread-safe.
Result<const ComputeKernel*> pipeline_of(const Device& device, const Kernel& kernel);

}  // namespace pelt::runtime
