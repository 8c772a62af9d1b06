// SPDX-License-Identifier: MIT
#include "runtime/skinning_pipelines.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/pose_kernels.h"
#include "pelt_runtime_shaders.h"
#include "runtime/device_internals.h"
#include "runtime/physical_device.h"
#include "shaders/blend/blend.h"
#include "shaders/bounds/bounds.h"
#include "shaders/crowd/plan.h"
#include "shaders/normals/normals.h"
#include "shaders/pose_pass.h"

namespace pelt::runtime {
namespace {

static_assert(std::max({shared::kPoseBindCount, shared::kPlanBindCount, shared::kBoundsBindCount,
                        shared::kBlendBindCount, shared::kNormalsBindCount}) <= kMaxStorageBuffers);

Result<const ComputeKernel*> known_or_made(const Device& device, const ComputeKernelOptions& options) {
  DeviceInternals& internals = device.internals();
  SkinningPipelines::key_type key{options.spirv.data(), {options.specialization.begin(), options.specialization.end()}};
  const auto known = [&]() -> const ComputeKernel* {
    const std::lock_guard lock(internals.pipelines_mutex);
    const auto found = internals.pipelines.find(key);
    return found == internals.pipelines.end() ? nullptr : &found->second;
  };
  if (const ComputeKernel* kernel = known()) return kernel;
  // Separate from the lock of the map, so that lookups of existing pipelines do not wait for new ones.
  const std::lock_guard making(internals.making_mutex);
  if (const ComputeKernel* kernel = known()) return kernel;
  PELT_ASSIGN(auto made, ComputeKernel::create(device, options));
  const std::lock_guard lock(internals.pipelines_mutex);
  return &internals.pipelines.emplace(std::move(key), std::move(made)).first->second;
}

}  // namespace

Result<const ComputeKernel*> plan_kernel(const Device& device) {
  return known_or_made(device, {.spirv = spirv::crowd_plan_comp,
                                .storage_buffers = shared::kPlanBindCount,
                                .push_constant_bytes = sizeof(shared::PlanConstants),
                                .name = "plan"});
}

Result<const ComputeKernel*> palette_kernel(const Device& device, PoseKernel kernel) {
  // Indexed by PoseKernel.
  static const std::span<const std::uint32_t> shaders[] = {
#define PELT_POSE_KERNEL(kernel, folder, shader) spirv::shader##_comp,
#include <pelt/pose_kernels.list>
#undef PELT_POSE_KERNEL
  };
  return known_or_made(device, {.spirv = shaders[static_cast<std::size_t>(kernel)],
                                .storage_buffers = shared::kPoseBindCount,
                                .push_constant_bytes = sizeof(shared::JobRange),
                                .name = formatted("pose {}", pose_kernel(kernel).name)});
}

Result<const ComputeKernel*> bounds_kernel(const Device& device) {
  return known_or_made(device, {.spirv = spirv::bounds_bounds_comp,
                                .storage_buffers = shared::kBoundsBindCount,
                                .push_constant_bytes = sizeof(shared::BoundsConstants),
                                .name = "bounds"});
}

Result<const ComputeKernel*> blend_kernel(const Device& device, const std::vector<std::uint32_t>& specialization) {
  return known_or_made(device, {.spirv = spirv::blend_blend_comp,
                                .storage_buffers = shared::kBlendBindCount,
                                .push_constant_bytes = sizeof(shared::BlendConstants),
                                .specialization = specialization,
                                .name = "blend"});
}

Result<const ComputeKernel*> normals_kernel(const Device& device, const std::vector<std::uint32_t>& specialization) {
  return known_or_made(device, {.spirv = spirv::normals_normals_comp,
                                .storage_buffers = shared::kNormalsBindCount,
                                .push_constant_bytes = sizeof(shared::NormalsConstants),
                                .specialization = specialization,
                                .name = "normals"});
}

}  // namespace pelt::runtime
