// SPDX-License-Identifier: MIT
// The renderer's pipelines and descriptor layouts.
#pragma once

#include <vulkan/vulkan_core.h>

#include <pelt/result.h>
#include <pelt/runtime/device.h>

#include "samples/renderer/gpu_objects.h"

namespace pelt::samples {

// Formats of the render targets, chosen by the device's features.
struct TargetFormats {
  VkFormat color = VK_FORMAT_R16G16B16A16_SFLOAT;  // one sample
  VkFormat mean = VK_FORMAT_R32G32B32A32_SFLOAT;   // of all samples; the target of blending
  VkFormat picture = VK_FORMAT_R8G8B8A8_UNORM;     // the result; the shader converts to sRGB
  VkFormat depth = VK_FORMAT_D32_SFLOAT;
  bool filtered_depth = true;  // comparisons with shadow maps can be filtered
};

// Viewport and scissor are dynamic.
struct Pipelines {
  Owned<VkSampler> map_sampler;
  Owned<VkSampler> color_sampler;
  Owned<VkSampler> texture_sampler;
  SetLayout scene_layout;    // set 0, shaders/scene.h
  SetLayout item_layout;     // set 1
  SetLayout texture_layout;  // set 2
  Owned<VkPipelineLayout> layout;
  Owned<VkPipeline> shadow;
  Owned<VkPipeline> surface;
  Owned<VkPipeline> masked_surface;
  Owned<VkPipeline> ground;
  Owned<VkPipeline> point;
  Owned<VkPipeline> line;         // hidden by surfaces in front of it
  Owned<VkPipeline> hidden_line;  // drawn over surfaces in front of it
  Owned<VkPipeline> accumulate;
  Owned<VkPipeline> develop;
};

TargetFormats choose_formats(const runtime::Device& device);
Result<Pipelines> make_pipelines(const runtime::Device& device, const TargetFormats& formats);

}  // namespace pelt::samples
