// SPDX-License-Identifier: MIT
#include "samples/renderer/pipelines.h"

#include <array>
#include <span>

#include <pelt/try.h>

#include "samples/renderer/make_pipeline.h"
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

// The texture repeats, as in glTF by default (3.8.2).
constexpr VkSamplerCreateInfo kTextureSampler{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                              .magFilter = VK_FILTER_LINEAR,
                                              .minFilter = VK_FILTER_LINEAR,
                                              .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR,
                                              .addressModeU = VK_SAMPLER_ADDRESS_MODE_REPEAT,
                                              .addressModeV = VK_SAMPLER_ADDRESS_MODE_REPEAT,
                                              .addressModeW = VK_SAMPLER_ADDRESS_MODE_REPEAT,
                                              .maxLod = VK_LOD_CLAMP_NONE};

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
        .colors = {&formats.color, 1},
        .depth = formats.depth}},
      {made.masked_surface,
       {.name = "surface with holes",
        .vertex = spirv::surface_vert,
        .fragment = spirv::surface_frag,
        .constant = VK_TRUE,
        .colors = {&formats.color, 1},
        .depth = formats.depth}},
      {made.ground,
       {.name = "ground",
        .vertex = spirv::ground_vert,
        .fragment = spirv::ground_frag,
        .colors = {&formats.color, 1},
        .depth = formats.depth,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP}},
      {made.point,
       {.name = "point",
        .vertex = spirv::line_vert,
        .fragment = spirv::line_frag,
        .colors = {&formats.color, 1},
        .depth = formats.depth}},
      {made.line,
       {.name = "lines",
        .vertex = spirv::line_vert,
        .fragment = spirv::line_frag,
        .colors = {&formats.color, 1},
        .depth = formats.depth,
        .blend = Blend::kOver}},
      {made.hidden_line,
       {.name = "hidden lines",
        .vertex = spirv::line_vert,
        .fragment = spirv::line_frag,
        .colors = {&formats.color, 1},
        .depth = formats.depth,
        .depth_test = false,
        .blend = Blend::kOver}},
      {made.accumulate,
       {.name = "accumulate",
        .vertex = spirv::fullscreen_vert,
        .fragment = spirv::accumulate_frag,
        .colors = {&formats.mean, 1},
        .depth_test = false,
        .blend = Blend::kAdd}},
      {made.develop,
       {.name = "develop",
        .vertex = spirv::fullscreen_vert,
        .fragment = spirv::develop_frag,
        .colors = {&formats.picture, 1},
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
