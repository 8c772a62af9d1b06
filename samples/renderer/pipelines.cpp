// SPDX-License-Identifier: MIT
#include "samples/renderer/pipelines.h"

#include <array>

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
  PELT_ASSIGN(made.map_sampler, make_sampler(device, target_sampler(true, formats.filtered_depth)));
  PELT_ASSIGN(made.color_sampler, make_sampler(device, target_sampler(false, false)));
  PELT_ASSIGN(made.texture_sampler, make_sampler(device, kTextureSampler));
  return {};
}

Result<void> make_layouts(const runtime::Device& device, Pipelines& made) {
  constexpr VkDescriptorType kImage = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  const SetBinding scene[] = {{shared::kBindFrame, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER},
                              {shared::kBindSample, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC},
                              {shared::kBindMaps, kImage},
                              {shared::kBindDepths, kImage},
                              {shared::kBindColor, kImage},
                              {shared::kBindWorlds, kStorage},
                              {shared::kBindWeights, kStorage},
                              {shared::kBindOverlays, kStorage}};
  const SetBinding item[] = {{shared::kBindPositions, kStorage},
                             {shared::kBindDirections, kStorage},
                             {shared::kBindEdges, kStorage},
                             {shared::kBindUvs, kStorage},
                             {shared::kBindColors, kStorage}};
  const SetBinding texture[] = {{shared::kBindTexture, kImage}};
  PELT_ASSIGN(made.scene_layout, make_set_layout(device, scene, "descriptor layout of the scene"));
  PELT_ASSIGN(made.item_layout, make_set_layout(device, item, "descriptor layout of items"));
  PELT_ASSIGN(made.texture_layout, make_set_layout(device, texture, "descriptor layout of textures"));
  const VkDescriptorSetLayout sets[] = {made.scene_layout.handle.get(), made.item_layout.handle.get(),
                                        made.texture_layout.handle.get()};
  PELT_ASSIGN(made.layout, make_pipeline_layout(device, sets, sizeof(shared::DrawConstants)));
  return {};
}

// Makes the pipelines. Precondition: their layouts exist.
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
