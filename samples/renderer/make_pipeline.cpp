// SPDX-License-Identifier: MIT
#include "samples/renderer/make_pipeline.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <pelt/runtime/debug.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

namespace pelt::samples {
namespace {

Result<Owned<VkShaderModule>> make_module(const runtime::Device& device, std::span<const std::uint32_t> words) {
  const runtime::DeviceFunctions& vk = device.functions();
  const VkShaderModuleCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = words.size_bytes(), .pCode = words.data()};
  return make_object<VkShaderModule>(device, vk.vkCreateShaderModule, vk.vkDestroyShaderModule, info, "a shader");
}

// Targets store colour times coverage, and coverage.
VkPipelineColorBlendAttachmentState blend_state(Blend blend) {
  VkPipelineColorBlendAttachmentState state{
      .blendEnable = blend == Blend::kNone ? VK_FALSE : VK_TRUE,
      .srcColorBlendFactor = blend == Blend::kOver ? VK_BLEND_FACTOR_SRC_ALPHA : VK_BLEND_FACTOR_ONE,
      .dstColorBlendFactor = blend == Blend::kOver ? VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA : VK_BLEND_FACTOR_ONE,
      .colorBlendOp = VK_BLEND_OP_ADD,
      .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
      .dstAlphaBlendFactor = blend == Blend::kOver ? VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA : VK_BLEND_FACTOR_ONE,
      .alphaBlendOp = VK_BLEND_OP_ADD,
      .colorWriteMask =
          VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT};
  return state;
}

}  // namespace

Result<Owned<VkPipeline>> make_pipeline(const runtime::Device& device, VkPipelineLayout layout,
                                        const PipelineOptions& options) {
  const runtime::DeviceFunctions& vk = device.functions();
  std::vector<Owned<VkShaderModule>> modules;
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  const VkSpecializationMapEntry entry{.constantID = 0, .offset = 0, .size = sizeof options.constant};
  const VkSpecializationInfo constants{
      .mapEntryCount = 1, .pMapEntries = &entry, .dataSize = sizeof options.constant, .pData = &options.constant};
  for (const auto& [stage, words] : {std::pair(VK_SHADER_STAGE_VERTEX_BIT, options.vertex),
                                     std::pair(VK_SHADER_STAGE_FRAGMENT_BIT, options.fragment)}) {
    if (words.empty()) continue;
    PELT_ASSIGN(auto module, make_module(device, words));
    stages.push_back({.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                      .stage = stage,
                      .module = module.get(),
                      .pName = "main",
                      .pSpecializationInfo = options.constant != 0 ? &constants : nullptr});
    modules.push_back(std::move(module));
  }
  const VkPipelineVertexInputStateCreateInfo vertex_input{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
      .vertexBindingDescriptionCount = static_cast<std::uint32_t>(options.bindings.size()),
      .pVertexBindingDescriptions = options.bindings.data(),
      .vertexAttributeDescriptionCount = static_cast<std::uint32_t>(options.attributes.size()),
      .pVertexAttributeDescriptions = options.attributes.data()};
  const VkPipelineInputAssemblyStateCreateInfo assembly{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = options.topology};
  const VkPipelineViewportStateCreateInfo viewport{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
  // Both sides of triangles are drawn: characters may be mirrored and open.
  const VkPipelineRasterizationStateCreateInfo rasterization{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
      .polygonMode = VK_POLYGON_MODE_FILL,
      .cullMode = VK_CULL_MODE_NONE,
      .depthBiasEnable = options.depth_bias ? VK_TRUE : VK_FALSE,
      .depthBiasConstantFactor = 1.0f,
      .depthBiasSlopeFactor = 1.5f,
      .lineWidth = 1.0f};
  const VkPipelineMultisampleStateCreateInfo multisample{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
  const VkPipelineDepthStencilStateCreateInfo depth{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
      .depthTestEnable = options.depth_test ? VK_TRUE : VK_FALSE,
      .depthWriteEnable = options.depth_test && options.blend == Blend::kNone ? VK_TRUE : VK_FALSE,
      .depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL};
  const std::vector<VkPipelineColorBlendAttachmentState> attachments(options.colors.size(), blend_state(options.blend));
  const VkPipelineColorBlendStateCreateInfo blend{.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                  .attachmentCount = static_cast<std::uint32_t>(attachments.size()),
                                                  .pAttachments = attachments.data()};
  const std::array dynamic_states{VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  const VkPipelineDynamicStateCreateInfo dynamic{.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                 .dynamicStateCount = dynamic_states.size(),
                                                 .pDynamicStates = dynamic_states.data()};
  const VkPipelineRenderingCreateInfo rendering{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
      .colorAttachmentCount = static_cast<std::uint32_t>(options.colors.size()),
      .pColorAttachmentFormats = options.colors.data(),
      .depthAttachmentFormat = options.depth};
  const VkGraphicsPipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                          .pNext = &rendering,
                                          .stageCount = static_cast<std::uint32_t>(stages.size()),
                                          .pStages = stages.data(),
                                          .pVertexInputState = &vertex_input,
                                          .pInputAssemblyState = &assembly,
                                          .pViewportState = &viewport,
                                          .pRasterizationState = &rasterization,
                                          .pMultisampleState = &multisample,
                                          .pDepthStencilState = &depth,
                                          .pColorBlendState = &blend,
                                          .pDynamicState = &dynamic,
                                          .layout = layout};
  VkPipeline made = VK_NULL_HANDLE;
  const VkResult result = vk.vkCreateGraphicsPipelines(device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &made);
  if (result != VK_SUCCESS) return runtime::vulkan_failure(std::string("make the pipeline ") + options.name, result);
  runtime::set_name(device, VK_OBJECT_TYPE_PIPELINE, made, options.name);
  return Owned<VkPipeline>(made, {device.handle(), vk.vkDestroyPipeline});
}

Result<Owned<VkPipelineLayout>> make_pipeline_layout(const runtime::Device& device,
                                                     std::span<const VkDescriptorSetLayout> sets,
                                                     std::uint32_t constant_bytes) {
  const runtime::DeviceFunctions& vk = device.functions();
  const VkPushConstantRange constants{VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, constant_bytes};
  const VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                        .setLayoutCount = static_cast<std::uint32_t>(sets.size()),
                                        .pSetLayouts = sets.data(),
                                        .pushConstantRangeCount = constant_bytes > 0 ? 1u : 0u,
                                        .pPushConstantRanges = &constants};
  return make_object<VkPipelineLayout>(device, vk.vkCreatePipelineLayout, vk.vkDestroyPipelineLayout, info,
                                       "a pipeline layout");
}

Result<Owned<VkSampler>> make_sampler(const runtime::Device& device, const VkSamplerCreateInfo& info) {
  const runtime::DeviceFunctions& vk = device.functions();
  return make_object<VkSampler>(device, vk.vkCreateSampler, vk.vkDestroySampler, info, "a sampler");
}

VkSamplerCreateInfo target_sampler(bool compare, bool filtered) {
  const VkFilter filter = filtered ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
  return {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
          .magFilter = filter,
          .minFilter = filter,
          .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
          .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
          .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
          .compareEnable = compare ? VK_TRUE : VK_FALSE,
          .compareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
          .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE};
}

}  // namespace pelt::samples
