// SPDX-License-Identifier: MIT
// The pipelines that move skin.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>
#include <pelt/runtime/compute_kernel.h>
#include <pelt/runtime/device.h>

namespace pelt::runtime {

// All pipelines that crowds dispatch.
struct SkinningPipelines {
  ComputeKernel plan;
  std::vector<ComputeKernel> pose;  // indexed by PoseKernel
  ComputeKernel bounds;
  // Keyed by their specialization constants (shaders/blend/blend.h).
  std::map<std::vector<std::uint32_t>, ComputeKernel> blend;
  std::map<std::vector<std::uint32_t>, ComputeKernel> normals;
};

// Return the device's pipelines, which are made when first asked for. Safe to call from several threads.
Result<const SkinningPipelines*> skinning_pipelines(const Device& device);
Result<const ComputeKernel*> blend_kernel(const Device& device, const std::vector<std::uint32_t>& specialization);
Result<const ComputeKernel*> normals_kernel(const Device& device, const std::vector<std::uint32_t>& specialization);

}  // namespace pelt::runtime
