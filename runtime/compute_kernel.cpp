// SPDX-License-Identifier: MIT
#include <cassert>
#include <vector>

#include <pelt/runtime/compute_kernel.h>
#include <pelt/runtime/crowd_frame.h>
#include <pelt/runtime/debug.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

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
  PELT_ASSIGN(kernel.set_layout_, make_object<VkDescriptorSetLayout>(device, functions.vkCreateDescriptorSetLayout,
                                                                     functions.vkDestroyDescriptorSetLayout, set_info,
                                                                     "the descriptor set layout of " + options.name));
  set_name(device, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, kernel.set_layout(), options.name);

  const VkDescriptorSetLayout set_layout = kernel.set_layout();
  const VkPushConstantRange constants{VK_SHADER_STAGE_COMPUTE_BIT, 0, options.push_constant_bytes};
  const VkPipelineLayoutCreateInfo layout_info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &set_layout,
                                               .pushConstantRangeCount = options.push_constant_bytes > 0 ? 1u : 0u,
                                               .pPushConstantRanges = &constants};
  PELT_ASSIGN(kernel.layout_,
              make_object<VkPipelineLayout>(device, functions.vkCreatePipelineLayout, functions.vkDestroyPipelineLayout,
                                            layout_info, "the pipeline layout of " + options.name));
  set_name(device, VK_OBJECT_TYPE_PIPELINE_LAYOUT, kernel.layout_.get(), options.name);

  std::vector<VkSpecializationMapEntry> entries;
  for (std::uint32_t i = 0; i < options.specialization.size(); ++i)
    entries.push_back({i, static_cast<std::uint32_t>(i * sizeof(std::uint32_t)), sizeof(std::uint32_t)});
  const VkShaderModuleCreateInfo module_info{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                             .codeSize = options.spirv.size_bytes(),
                                             .pCode = options.spirv.data()};
  PELT_ASSIGN(const auto module,
              make_object<VkShaderModule>(device, functions.vkCreateShaderModule, functions.vkDestroyShaderModule,
                                          module_info, "the shader of " + options.name));
  set_name(device, VK_OBJECT_TYPE_SHADER_MODULE, module.get(), options.name);
  const VkSpecializationInfo specialization{.mapEntryCount = static_cast<std::uint32_t>(entries.size()),
                                            .pMapEntries = entries.data(),
                                            .dataSize = options.specialization.size_bytes(),
                                            .pData = options.specialization.data()};
  const VkComputePipelineCreateInfo pipeline_info{
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module.get(),
                .pName = "main",
                .pSpecializationInfo = &specialization},
      .layout = kernel.layout_.get()};
  VkPipeline pipeline = VK_NULL_HANDLE;
  const VkResult result = functions.vkCreateComputePipelines(device.handle(), device.internals().pipeline_cache, 1,
                                                             &pipeline_info, nullptr, &pipeline);
  if (result != VK_SUCCESS) return vulkan_failure("create the pipeline of " + options.name, result);
  kernel.pipeline_ = {pipeline, {device.handle(), functions.vkDestroyPipeline}};
  set_name(device, VK_OBJECT_TYPE_PIPELINE, pipeline, options.name);
  return kernel;
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
  functions.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_.get());
  functions.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_.get(), 0, 1, &set, 0, nullptr);
  functions.vkCmdPushConstants(commands, layout_.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
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
  const DeviceFunctions& functions = device.functions();
  PELT_ASSIGN(pool.handle_,
              make_object<VkDescriptorPool>(device, functions.vkCreateDescriptorPool, functions.vkDestroyDescriptorPool,
                                            info, "the descriptor pool of " + name));
  set_name(device, VK_OBJECT_TYPE_DESCRIPTOR_POOL, pool.handle_.get(), name);
  return pool;
}

Result<VkDescriptorSet> DescriptorPool::make_set(const ComputeKernel& kernel,
                                                 std::span<const VkDescriptorBufferInfo> buffers) {
  const VkDescriptorSetLayout layout = kernel.set_layout();
  const VkDescriptorSetAllocateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                         .descriptorPool = handle_.get(),
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
