// SPDX-License-Identifier: MIT
// Vulkan handles that destroy themselves, images, and their barriers.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/core/result.h"
#include "runtime/buffer.h"
#include "runtime/device.h"
#include "runtime/memory.h"

namespace pelt::samples {

template <class T>
struct Destroy {
  using pointer = T;
  VkDevice device = VK_NULL_HANDLE;
  void(VKAPI_PTR* function)(VkDevice, T, const VkAllocationCallbacks*) = nullptr;
  void operator()(T handle) const { function(device, handle, nullptr); }
};

template <class T>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, Destroy<T>>;

// A buffer that holds `values`, in memory that the device reads. Empty: one of 4 bytes, so that it can be bound.
template <class T>
Result<runtime::Buffer> make_buffer(const runtime::Device& device, std::span<const T> values, VkBufferUsageFlags usage,
                                    const std::string& name) {
  const VkDeviceSize bytes = values.size_bytes();
  auto made = runtime::Buffer::create(
      device, {.size = bytes > 4 ? bytes : 4, .usage = usage, .memory = runtime::MemoryUse::kStream, .name = name});
  if (made && bytes != 0) {
    std::memcpy(made->mapped(), values.data(), bytes);
    made->flush(0, bytes);
  }
  return made;
}

struct TextureOptions {
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkExtent2D size{};
  std::uint32_t layers = 1;
  VkImageUsageFlags usage = 0;
};

// An image in device memory with a view of all layers, and one of each.
struct Texture {
  runtime::Allocation memory;
  Owned<VkImage> image;
  Owned<VkImageView> view;
  std::vector<Owned<VkImageView>> layer_views;  // empty where there is one layer
  VkImageAspectFlags aspect = 0;
};

Result<Texture> make_texture(const runtime::Device& device, const TextureOptions& options, const std::string& name);

// The first of the formats that the device offers all of `features` for, with optimal tiling; VK_FORMAT_UNDEFINED where
// there is none.
VkFormat first_format(const runtime::Device& device, std::span<const VkFormat> formats, VkFormatFeatureFlags features);

// What is done with an image before or after a barrier.
struct ImageUse {
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
  VkPipelineStageFlags2 stage = VK_PIPELINE_STAGE_2_NONE;
  VkAccessFlags2 access = VK_ACCESS_2_NONE;
};

void image_barrier(const runtime::Device& device, VkCommandBuffer commands, const Texture& texture,
                   const ImageUse& before, const ImageUse& after);

}  // namespace pelt::samples
