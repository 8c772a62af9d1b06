// SPDX-License-Identifier: MIT
#include "runtime/skinning_pipelines.h"

#include <mutex>
#include <utility>

#include <pelt/try.h>

#include "runtime/device_internals.h"

namespace pelt::runtime {

Result<const ComputeKernel*> pipeline_of(const Device& device, const Kernel& kernel) {
  DeviceInternals& internals = device.internals();
  SkinningPipelines::key_type key{kernel.spirv.data(), kernel.specialization};
  const auto known = [&]() -> const ComputeKernel* {
    const std::lock_guard lock(internals.pipelines_mutex);
    const auto found = internals.pipelines.find(key);
    return found == internals.pipelines.end() ? nullptr : &found->second;
  };
  if (const ComputeKernel* found = known()) return found;
  // Separate from the lock of the map, so that lookups of existing pipelines do not wait for new ones.
  const std::lock_guard making(internals.making_mutex);
  if (const ComputeKernel* found = known()) return found;
  PELT_ASSIGN(auto made, ComputeKernel::create(
                             device, {.spirv = kernel.spirv,
                                      .storage_buffers = static_cast<std::uint32_t>(bindings_of(kernel.kind).size()),
                                      .push_constant_bytes = kernel.constant_bytes,
                                      .specialization = kernel.specialization,
                                      .name = kernel.name}));
  const std::lock_guard lock(internals.pipelines_mutex);
  return &internals.pipelines.emplace(std::move(key), std::move(made)).first->second;
}

}  // namespace pelt::runtime
