// SPDX-License-Identifier: MIT
// Compute pipelines over storage buffers, and their descriptor sets.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <pelt/result.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/owned.h>

namespace pelt::runtime {

struct ComputeKernelOptions {
  std::span<const std::uint32_t> spirv;
  std::uint32_t storage_buffers = 0;                   // bindings 0 .. storage_buffers - 1 of set 0
  std::uint32_t push_constant_bytes = 0;               // at most 128
  std::span<const std::uint32_t> specialization = {};  // constants 0, 1, ...
  std::string name;
};

// A shader, its pipeline and its layouts. Move-only; the Device must outlive it.
class ComputeKernel {
 public:
  static Result<ComputeKernel> create(const Device& device, const ComputeKernelOptions& options);
  ComputeKernel() = default;

  const std::string& name() const { return name_; }
  VkDescriptorSetLayout set_layout() const { return set_layout_.get(); }

  // Binds the pipeline, the set and the constants, and dispatches `workgroups`. If they exceed the device's limit in x,
  // they are split over x and y; the shader numbers them y * gl_NumWorkGroups.x + x. The last row may have surplus
  // workgroups.
  void dispatch(VkCommandBuffer commands, VkDescriptorSet set, std::span<const std::byte> constants,
                std::uint64_t workgroups) const;
  // The same, with the number of workgroups from a VkDispatchIndirectCommand in a buffer.
  void dispatch_indirect(VkCommandBuffer commands, VkDescriptorSet set, std::span<const std::byte> constants,
                         VkBuffer arguments, VkDeviceSize offset) const;

 private:
  void bind(VkCommandBuffer commands, VkDescriptorSet set, std::span<const std::byte> constants) const;

  DeviceInternals* device_ = nullptr;
  std::string name_;
  Owned<VkDescriptorSetLayout> set_layout_;
  Owned<VkPipelineLayout> layout_;
  Owned<VkPipeline> pipeline_;
};

// A pool of descriptor sets of storage buffers. Move-only; the Device must outlive it.
class DescriptorPool {
 public:
  static Result<DescriptorPool> create(const Device& device, std::uint32_t sets, std::uint32_t storage_buffers,
                                       const std::string& name);
  DescriptorPool() = default;

  // Makes a set whose binding i is buffers[i].
  Result<VkDescriptorSet> make_set(const ComputeKernel& kernel, std::span<const VkDescriptorBufferInfo> buffers);

 private:
  DeviceInternals* device_ = nullptr;
  std::string name_;
  Owned<VkDescriptorPool> handle_;
};

}  // namespace pelt::runtime
