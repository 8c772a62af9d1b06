// SPDX-License-Identifier: MIT
#include "samples/renderer/pipelines.h"

#include <array>
#include <span>
#include <string>
#include <vector>

#include <pelt/runtime/debug.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

#include "samples/renderer/shaders/accumulate.frag.h"
#include "samples/renderer/shaders/develop.frag.h"
#include "samples/renderer/shaders/fullscreen.vert.h"
#include "samples/renderer/shaders/ground.frag.h"
#include "samples/renderer/shaders/ground.vert.h"
#include "samples/renderer/shaders/line.frag.h"
#include "samples/renderer/shaders/line.vert.h"
#include "samples/renderer/shaders/scene.h"
#include "samples/renderer/shaders/shadow.vert.h"
#include "samples/renderer/shaders/surface.frag.h"
#include "samples/renderer/shaders/surface.vert.h"

namespace pelt::samples {
namespace {

constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

enum class Blend { kNone, kOver, kAdd };

struct PipelineOptions {
  const char* name;
  std::span<const std::uint32_t> vertex;
  std::span<const std::uint32_t> fragment;  // empty: depth only
  bool masked = false;                      // the fragment shader's kMasked
  VkFormat color = VK_FORMAT_UNDEFINED;
  VkFormat depth = VK_FORMAT_UNDEFINED;
  bool depth_test = true;  // if there is depth; blended draws write none
  Blend blend = Blend::kNone;
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
};

VkDescriptorSetLayoutBinding binding(std::uint32_t index, VkDescriptorType type) {
  return {.binding = index, .descriptorType = type, .descriptorCount = 1, .stageFlags = kStages};
}

Result<Owned<VkDescriptorSetLayout>> make_set_layout(const runtime::Device& device,
                                                     std::span<const VkDescriptorSetLayoutBinding> bindings) {
  const runtime::DeviceFunctions& vk = device.functions();
  const VkDescriptorSetLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                             .bindingCount = static_cast<std::uint32_t>(bindings.size()),
                                             .pBindings = bindings.data()};
  return make_object<VkDescriptorSetLayout>(device, vk.vkCreateDescriptorSetLayout, vk.vkDestroyDescriptorSetLayout,
                                            info, "the renderer's descriptor layout");
}

Result<Owned<VkPipelineLayout>> make_layout(const runtime::Device& device,
                                            std::span<const VkDescriptorSetLayout> sets) {
  const runtime::DeviceFunctions& vk = device.functions();
  const VkPushConstantRange constants{.stageFlags = kStages, .offset = 0, .size = sizeof(shared::DrawConstants)};
  const VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                        .setLayoutCount = static_cast<std::uint32_t>(sets.size()),
                                        .pSetLayouts = sets.data(),
                                        .pushConstantRangeCount = 1,
                                        .pPushConstantRanges = &constants};
  return make_object<VkPipelineLayout>(device, vk.vkCreatePipelineLayout, vk.vkDestroyPipelineLayout, info,
                                       "the renderer's pipeline layout");
}

Result<Owned<VkSampler>> make_sampler(const runtime::Device& device, const VkSamplerCreateInfo& info) {
  const runtime::DeviceFunctions& vk = device.functions();
  return make_object<VkSampler>(device, vk.vkCreateSampler, vk.vkDestroySampler, info, "a sampler of the renderer");
}

// Makes a sampler for render targets: outside a shadow map everything is lit.
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

// The texture repeats, as in glTF by default (3.8.2).
constexpr VkSamplerCreateInfo kTextureSampler{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                              .magFilter = VK_FILTER_LINEAR,
                                              .minFilter = VK_FILTER_LINEAR,
                                              .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR,
                                              .addressModeU = VK_SAMPLER_ADDRESS_MODE_REPEAT,
                                              .addressModeV = VK_SAMPLER_ADDRESS_MODE_REPEAT,
                                              .addressModeW = VK_SAMPLER_ADDRESS_MODE_REPEAT,
                                              .maxLod = VK_LOD_CLAMP_NONE};

Result<Owned<VkShaderModule>> make_module(const runtime::Device& device, std::span<const std::uint32_t> words) {
  const runtime::DeviceFunctions& vk = device.functions();
  const VkShaderModuleCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = words.size_bytes(), .pCode = words.data()};
  return make_object<VkShaderModule>(device, vk.vkCreateShaderModule, vk.vkDestroyShaderModule, info,
                                     "a shader of the renderer");
}

// Targets hold colour times coverage, and coverage.
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

Result<Owned<VkPipeline>> make_pipeline(const runtime::Device& device, VkPipelineLayout layout,
                                        const PipelineOptions& options) {
  const runtime::DeviceFunctions& vk = device.functions();
  std::vector<Owned<VkShaderModule>> modules;
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  const VkBool32 masked = options.masked ? VK_TRUE : VK_FALSE;
  const VkSpecializationMapEntry entry{.constantID = 0, .offset = 0, .size = sizeof masked};
  const VkSpecializationInfo constants{
      .mapEntryCount = 1, .pMapEntries = &entry, .dataSize = sizeof masked, .pData = &masked};
  const auto add_stage = [&](VkShaderStageFlagBits stage, std::span<const std::uint32_t> words) -> Result<void> {
    PELT_ASSIGN(auto module, make_module(device, words));
    stages.push_back({.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                      .stage = stage,
                      .module = module.get(),
                      .pName = "main",
                      .pSpecializationInfo = options.masked ? &constants : nullptr});
    modules.push_back(std::move(module));
    return {};
  };
  PELT_TRY(add_stage(VK_SHADER_STAGE_VERTEX_BIT, options.vertex));
  if (!options.fragment.empty()) {
    PELT_TRY(add_stage(VK_SHADER_STAGE_FRAGMENT_BIT, options.fragment));
  }

  const VkPipelineVertexInputStateCreateInfo vertex_input{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  const VkPipelineInputAssemblyStateCreateInfo assembly{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = options.topology};
  const VkPipelineViewportStateCreateInfo viewport{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
  // Both sides of triangles are drawn: characters may be mirrored and open.
  const VkPipelineRasterizationStateCreateInfo rasterization{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
      .polygonMode = VK_POLYGON_MODE_FILL,
      .cullMode = VK_CULL_MODE_NONE,
      .lineWidth = 1.0f};
  const VkPipelineMultisampleStateCreateInfo multisample{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
  const VkPipelineDepthStencilStateCreateInfo depth{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
      .depthTestEnable = options.depth_test ? VK_TRUE : VK_FALSE,
      .depthWriteEnable = options.depth_test && options.blend == Blend::kNone ? VK_TRUE : VK_FALSE,
      .depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL};
  const VkPipelineColorBlendAttachmentState attachment = blend_state(options.blend);
  const bool has_color = options.color != VK_FORMAT_UNDEFINED;
  const VkPipelineColorBlendStateCreateInfo blend{.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                  .attachmentCount = has_color ? 1u : 0u,
                                                  .pAttachments = &attachment};
  const std::array dynamic_states{VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  const VkPipelineDynamicStateCreateInfo dynamic{.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                 .dynamicStateCount = dynamic_states.size(),
                                                 .pDynamicStates = dynamic_states.data()};
  const VkPipelineRenderingCreateInfo rendering{.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                .colorAttachmentCount = has_color ? 1u : 0u,
                                                .pColorAttachmentFormats = &options.color,
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

Result<void> make_samplers(const runtime::Device& device, const TargetFormats& formats, Pipelines& made) {
  const struct {
    Owned<VkSampler>& into;
    VkSamplerCreateInfo info;
  } samplers[] = {
      {made.map_sampler, target_sampler(true, formats.filtered_depth)},
      {made.color_sampler, target_sampler(false, false)},
      {made.texture_sampler, kTextureSampler},
  };
  for (const auto& [into, info] : samplers) {
    PELT_ASSIGN(into, make_sampler(device, info));
  }
  return {};
}

Result<void> make_layouts(const runtime::Device& device, Pipelines& made) {
  const std::array scene_bindings{
      binding(shared::kBindFrame, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER),
      binding(shared::kBindSample, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC),
      binding(shared::kBindMaps, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER),
      binding(shared::kBindDepths, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER),
      binding(shared::kBindColor, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER),
      binding(shared::kBindWorlds, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
      binding(shared::kBindWeights, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
      binding(shared::kBindOverlays, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
  };
  const std::array item_bindings{
      binding(shared::kBindPositions, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
      binding(shared::kBindDirections, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
      binding(shared::kBindEdges, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
      binding(shared::kBindUvs, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
  };
  const std::array texture_bindings{binding(shared::kBindTexture, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER)};
  const struct {
    Owned<VkDescriptorSetLayout>& into;
    std::span<const VkDescriptorSetLayoutBinding> bindings;
  } set_layouts[] = {
      {made.scene_layout, scene_bindings}, {made.item_layout, item_bindings}, {made.texture_layout, texture_bindings}};
  for (const auto& [into, bindings] : set_layouts) {
    PELT_ASSIGN(into, make_set_layout(device, bindings));
  }
  const std::array sets{made.scene_layout.get(), made.item_layout.get(), made.texture_layout.get()};
  PELT_ASSIGN(made.layout, make_layout(device, sets));
  return {};
}

// Makes the pipelines; their layout is made.
Result<void> make_all_pipelines(const runtime::Device& device, const TargetFormats& formats, Pipelines& made) {
  const struct {
    Owned<VkPipeline>& into;
    PipelineOptions options;
  } list[] = {
      {made.shadow, {.name = "shadow map", .vertex = spirv::shadow_vert, .depth = formats.depth}},
      {made.surface,
       {.name = "surface",
        .vertex = spirv::surface_vert,
        .fragment = spirv::surface_frag,
        .color = formats.color,
        .depth = formats.depth}},
      {made.masked_surface,
       {.name = "surface with holes",
        .vertex = spirv::surface_vert,
        .fragment = spirv::surface_frag,
        .masked = true,
        .color = formats.color,
        .depth = formats.depth}},
      {made.ground,
       {.name = "ground",
        .vertex = spirv::ground_vert,
        .fragment = spirv::ground_frag,
        .color = formats.color,
        .depth = formats.depth,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP}},
      {made.point,
       {.name = "point",
        .vertex = spirv::line_vert,
        .fragment = spirv::line_frag,
        .color = formats.color,
        .depth = formats.depth}},
      {made.line,
       {.name = "lines",
        .vertex = spirv::line_vert,
        .fragment = spirv::line_frag,
        .color = formats.color,
        .depth = formats.depth,
        .blend = Blend::kOver}},
      {made.hidden_line,
       {.name = "hidden lines",
        .vertex = spirv::line_vert,
        .fragment = spirv::line_frag,
        .color = formats.color,
        .depth = formats.depth,
        .depth_test = false,
        .blend = Blend::kOver}},
      {made.accumulate,
       {.name = "accumulate",
        .vertex = spirv::fullscreen_vert,
        .fragment = spirv::accumulate_frag,
        .color = formats.mean,
        .depth_test = false,
        .blend = Blend::kAdd}},
      {made.develop,
       {.name = "develop",
        .vertex = spirv::fullscreen_vert,
        .fragment = spirv::develop_frag,
        .color = formats.picture,
        .depth_test = false}},
  };
  for (const auto& [into, options] : list) {
    PELT_ASSIGN(into, make_pipeline(device, made.layout.get(), options));
  }
  return {};
}

}  // namespace

TargetFormats choose_formats(const runtime::Device& device) {
  TargetFormats formats;
  // 32-bit sums if the device can blend them; every device can blend 16-bit ones.
  const std::array means{VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R16G16B16A16_SFLOAT};
  formats.mean =
      first_format(device, means, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT);
  const std::array depths{formats.depth};
  formats.filtered_depth =
      first_format(device, depths, VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) != VK_FORMAT_UNDEFINED;
  return formats;
}

Result<Pipelines> make_pipelines(const runtime::Device& device, const TargetFormats& formats) {
  Pipelines made;
  PELT_TRY(make_samplers(device, formats, made));
  PELT_TRY(make_layouts(device, made));
  PELT_TRY(make_all_pipelines(device, formats, made));
  return made;
}

}  // namespace pelt::samples
