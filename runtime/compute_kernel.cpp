// SPDX-License-Identifier: MIT
#include <cassert>
#include <utility>
#include <vector>

#include <pelt/runtime/compute_kernel.h>
#include <pelt/runtime/crowd_frame.h>
#include <pelt/runtime/debug.h>
#include <pelt/runtime/vulkan_functions.h>

#include "runtime/device_internals.h"

namespace pelt::runtime {

Result<ComputeKernel> ComputeKernel::create(const Device& device, const ComputeKernelOptions& options) {
  const DeviceFunctions& functions = device.functions();
  ComputeKernel kernel;
  kernel.device_ = &device.internals();
  kernel.name_ = options.name;

  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (std::uint32_t binding = 0; binding < options.storage_buffers; ++binding) {
    bindings.push_back({.binding = binding,
                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                        .descriptorCount = 1,
                        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT});
  }
  const VkDescriptorSetLayoutCreateInfo set_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                 .bindingCount = options.storage_buffers,
                                                 .pBindings = bindings.data()};
  VkResult result = functions.vkCreateDescriptorSetLayout(device.handle(), &set_info, nullptr, &kernel.set_layout_);
  if (result != VK_SUCCESS) return vulkan_failure("create the descriptor set layout of " + options.name, result);
  set_name(device, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, kernel.set_layout_, options.name);

  const VkPushConstantRange constants{VK_SHADER_STAGE_COMPUTE_BIT, 0, options.push_constant_bytes};
  const VkPipelineLayoutCreateInfo layout_info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &kernel.set_layout_,
                                               .pushConstantRangeCount = options.push_constant_bytes > 0 ? 1u : 0u,
                                               .pPushConstantRanges = &constants};
  result = functions.vkCreatePipelineLayout(device.handle(), &layout_info, nullptr, &kernel.layout_);
  if (result != VK_SUCCESS) return vulkan_failure("create the pipeline layout of " + options.name, result);
  set_name(device, VK_OBJECT_TYPE_PIPELINE_LAYOUT, kernel.layout_, options.name);

  std::vector<VkSpecializationMapEntry> entries;
  for (std::uint32_t i = 0; i < options.specialization.size(); ++i)
    entries.push_back({i, static_cast<std::uint32_t>(i * sizeof(std::uint32_t)), sizeof(std::uint32_t)});
  VkShaderModule module = VK_NULL_HANDLE;
  const VkShaderModuleCreateInfo module_info{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                             .codeSize = options.spirv.size_bytes(),
                                             .pCode = options.spirv.data()};
  result = functions.vkCreateShaderModule(device.handle(), &module_info, nullptr, &module);
  if (result != VK_SUCCESS) return vulkan_failure("create the shader of " + options.name, result);
  set_name(device, VK_OBJECT_TYPE_SHADER_MODULE, module, options.name);
  const VkSpecializationInfo specialization{.mapEntryCount = static_cast<std::uint32_t>(entries.size()),
                                            .pMapEntries = entries.data(),
                                            .dataSize = options.specialization.size_bytes(),
                                            .pData = options.specialization.data()};
  const VkComputePipelineCreateInfo pipeline_info{
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = "main",
                .pSpecializationInfo = &specialization},
      .layout = kernel.layout_};
  result = functions.vkCreateComputePipelines(device.handle(), device.internals().pipeline_cache, 1, &pipeline_info,
                                              nullptr, &kernel.pipeline_);
  functions.vkDestroyShaderModule(device.handle(), module, nullptr);
  if (result != VK_SUCCESS) return vulkan_failure("create the pipeline of " + options.name, result);
  set_name(device, VK_OBJECT_TYPE_PIPELINE, kernel.pipeline_, options.name);
  return kernel;
}

ComputeKernel::~ComputeKernel() {
  if (device_ == nullptr) return;
  const DeviceFunctions& functions = device_->functions;
  functions.vkDestroyPipeline(device_->handle, pipeline_, nullptr);
  functions.vkDestroyPipelineLayout(device_->handle, layout_, nullptr);
  functions.vkDestroyDescriptorSetLayout(device_->handle, set_layout_, nullptr);
}

ComputeKernel& ComputeKernel::operator=(ComputeKernel&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(name_, other.name_);
  std::swap(set_layout_, other.set_layout_);
  std::swap(layout_, other.layout_);
  std::swap(pipeline_, other.pipeline_);
  return *this;
}

void ComputeKernel::dispatch(VkCommandBuffer commands, VkDescriptorSet set, std::span<const std::byte> constants,
                             std::uint64_t workgroups) const {
  const DeviceFunctions& functions = device_->functions;
  const std::uint32_t(&most)[3] = device_->limits.maxComputeWorkGroupCount;
  const auto [columns, rows] = spread_workgroups(workgroups, most[0]);
  assert(rows > 0 && rows <= most[1]);
  bind(commands, set, constants);
  functions.vkCmdDispatch(commands, columns, rows, 1);
}

void ComputeKernel::dispatch_indirect(VkCommandBuffer commands, VkDescriptorSet set,
                                      std::span<const std::byte> constants, VkBuffer arguments,
                                      VkDeviceSize offset) const {
  bind(commands, set, constants);
  device_->functions.vkCmdDispatchIndirect(commands, arguments, offset);
}

void ComputeKernel::bind(VkCommandBuffer commands, VkDescriptorSet set, std::span<const std::byte> constants) const {
  const DeviceFunctions& functions = device_->functions;
  functions.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  functions.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, 0, nullptr);
  functions.vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                               static_cast<std::uint32_t>(constants.size()), constants.data());
}

Result<DescriptorPool> DescriptorPool::create(const Device& device, std::uint32_t sets, std::uint32_t storage_buffers,
                                              const std::string& name) {
  DescriptorPool pool;
  pool.device_ = &device.internals();
  pool.name_ = name;
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, storage_buffers};
  const VkDescriptorPoolCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = sets, .poolSizeCount = 1, .pPoolSizes = &size};
  const VkResult result = device.functions().vkCreateDescriptorPool(device.handle(), &info, nullptr, &pool.handle_);
  if (result != VK_SUCCESS) return vulkan_failure("create the descriptor pool of " + name, result);
  set_name(device, VK_OBJECT_TYPE_DESCRIPTOR_POOL, pool.handle_, name);
  return pool;
}

DescriptorPool::~DescriptorPool() {
  if (device_ != nullptr) device_->functions.vkDestroyDescriptorPool(device_->handle, handle_, nullptr);
}

DescriptorPool& DescriptorPool::operator=(DescriptorPool&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(name_, other.name_);
  std::swap(handle_, other.handle_);
  return *this;
}

Result<VkDescriptorSet> DescriptorPool::make_set(const ComputeKernel& kernel,
                                                 std::span<const VkDescriptorBufferInfo> buffers) {
  const VkDescriptorSetLayout layout = kernel.set_layout();
  const VkDescriptorSetAllocateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                         .descriptorPool = handle_,
                                         .descriptorSetCount = 1,
                                         .pSetLayouts = &layout};
  const std::string set_label = name_ + ": " + kernel.name();  // before the set, which only the pool frees
  VkDescriptorSet set = VK_NULL_HANDLE;
  const VkResult result = device_->functions.vkAllocateDescriptorSets(device_->handle, &info, &set);
  if (result != VK_SUCCESS) return vulkan_failure("allocate a descriptor set of " + name_, result);
  set_name(device_->functions, device_->handle, VK_OBJECT_TYPE_DESCRIPTOR_SET, reinterpret_cast<std::uint64_t>(set),
           set_label);
  const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .dstSet = set,
                                   .descriptorCount = static_cast<std::uint32_t>(buffers.size()),
                                   .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                   .pBufferInfo = buffers.data()};
  device_->functions.vkUpdateDescriptorSets(device_->handle, 1, &write, 0, nullptr);
  return set;
}

}  // namespace pelt::runtime
