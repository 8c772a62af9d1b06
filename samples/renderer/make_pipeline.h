// SPDX-License-Identifier: MIT
// Makes graphics pipelines, their layouts, and samplers.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <span>

#include <pelt/result.h>
#include <pelt/runtime/device.h>

#include "samples/renderer/gpu_objects.h"

namespace pelt::samples {

enum class Blend { kNone, kOver, kAdd };

// Viewport and scissor are dynamic, and triangles have two sides.
struct PipelineOptions {
  const char* name;
  std::span<const std::uint32_t> vertex;
  std::span<const std::uint32_t> fragment;                      // empty: depth only
  std::uint32_t constant = 0;                                   // the shaders' constant 0, if it is not 0
  std::span<const VkVertexInputBindingDescription> bindings{};  // empty: shaders read buffers
  std::span<const VkVertexInputAttributeDescription> attributes{};
  std::span<const VkFormat> colors{};
  VkFormat depth = VK_FORMAT_UNDEFINED;
  bool depth_test = true;  // if there is depth; blended draws write none
  bool depth_bias = false;
  Blend blend = Blend::kNone;
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
};

Result<Owned<VkPipeline>> make_pipeline(const runtime::Device& device, VkPipelineLayout layout,
                                        const PipelineOptions& options);

// `constant_bytes`: size of the push constants of vertex and fragment shaders.
Result<Owned<VkPipelineLayout>> make_pipeline_layout(const runtime::Device& device,
                                                     std::span<const VkDescriptorSetLayout> sets,
                                                     std::uint32_t constant_bytes = 0);

Result<Owned<VkSampler>> make_sampler(const runtime::Device& device, const VkSamplerCreateInfo& info);

// Describes a sampler of render targets. `compare`: for depths of a shadow map; everything outside of it is lit.
VkSamplerCreateInfo target_sampler(bool compare, bool filtered);

}  // namespace pelt::samples
