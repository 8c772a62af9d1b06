// SPDX-License-Identifier: MIT
#include "runtime/skinning_pipelines.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include <pelt/try.h>

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

Result<std::unique_ptr<SkinningPipelines>> make_pipelines(const Device& device) {
  auto pipelines = std::make_unique<SkinningPipelines>();
  // By PoseKernel's numbers.
  const std::span<const std::uint32_t> pose_shaders[] = {
#define PELT_POSE_KERNEL(kernel, folder, shader) spirv::shader##_comp,
#include <pelt/pose_kernels.list>
#undef PELT_POSE_KERNEL
  };
  for (std::size_t k = 0; k < kPoseKernelCount; ++k) {
    PELT_ASSIGN(
        auto kernel,
        ComputeKernel::create(device, {.spirv = pose_shaders[k],
                                       .storage_buffers = shared::kPoseBindCount,
                                       .push_constant_bytes = sizeof(shared::JobRange),
                                       .name = fmt::format("pose {}", pose_kernel_name(static_cast<PoseKernel>(k)))}));
    pipelines->pose.push_back(std::move(kernel));
  }
  const struct {
    ComputeKernel* kernel;
    ComputeKernelOptions options;
  } others[] = {
      {&pipelines->plan,
       {.spirv = spirv::crowd_plan_comp,
        .storage_buffers = shared::kPlanBindCount,
        .push_constant_bytes = sizeof(shared::PlanConstants),
        .name = "plan"}},
      {&pipelines->bounds,
       {.spirv = spirv::bounds_bounds_comp,
        .storage_buffers = shared::kBoundsBindCount,
        .push_constant_bytes = sizeof(shared::BoundsConstants),
        .name = "bounds"}},
  };
  for (const auto& [kernel, options] : others) {
    PELT_ASSIGN(*kernel, ComputeKernel::create(device, options));
  }
  return pipelines;
}

// Returns the pipelines, and makes them on the first call. Precondition: pipelines_mutex is held.
Result<SkinningPipelines*> made_pipelines(const Device& device) {
  DeviceInternals& internals = device.internals();
  if (internals.pipelines == nullptr) {
    PELT_ASSIGN(internals.pipelines, make_pipelines(device));
  }
  return internals.pipelines.get();
}

using Variants = std::map<std::vector<std::uint32_t>, ComputeKernel>;

Result<const ComputeKernel*> variant(const Device& device, Variants SkinningPipelines::*variants,
                                     ComputeKernelOptions options, const std::vector<std::uint32_t>& specialization) {
  const std::lock_guard lock(device.internals().pipelines_mutex);
  PELT_ASSIGN(const auto pipelines, made_pipelines(device));
  Variants& known = pipelines->*variants;
  const auto found = known.find(specialization);
  if (found != known.end()) return &found->second;
  options.specialization = specialization;
  PELT_ASSIGN(auto made, ComputeKernel::create(device, options));
  return &known.emplace(specialization, std::move(made)).first->second;
}

}  // namespace

Result<const SkinningPipelines*> skinning_pipelines(const Device& device) {
  const std::lock_guard lock(device.internals().pipelines_mutex);
  PELT_ASSIGN(auto made, made_pipelines(device));
  return made;
}

Result<const ComputeKernel*> blend_kernel(const Device& device, const std::vector<std::uint32_t>& specialization) {
  return variant(device, &SkinningPipelines::blend,
                 {.spirv = spirv::blend_blend_comp,
                  .storage_buffers = shared::kBlendBindCount,
                  .push_constant_bytes = sizeof(shared::BlendConstants),
                  .name = "blend"},
                 specialization);
}

Result<const ComputeKernel*> normals_kernel(const Device& device, const std::vector<std::uint32_t>& specialization) {
  return variant(device, &SkinningPipelines::normals,
                 {.spirv = spirv::normals_normals_comp,
                  .storage_buffers = shared::kNormalsBindCount,
                  .push_constant_bytes = sizeof(shared::NormalsConstants),
                  .name = "normals"},
                 specialization);
}

}  // namespace pelt::runtime
