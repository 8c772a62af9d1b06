// SPDX-License-Identifier: MIT
// Owning Vulkan handles, images, and their barriers.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pelt/result.h>
#include <pelt/runtime/buffer.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/memory.h>
#include <pelt/runtime/owned.h>

#include "samples/renderer/image.h"

namespace pelt::samples {

using runtime::make_object;
using runtime::Owned;

// Memory that the host rewrites occasionally and the device reads. Each write replaces the whole content; if it does
// not fit, a larger buffer replaces the old one. The device must no longer read the previous content.
class StreamBuffer {
 public:
  StreamBuffer() = default;
  StreamBuffer(VkBufferUsageFlags usage, std::string name) : usage_(usage), name_(std::move(name)) {}

  template <class T>
  Result<void> write(const runtime::Device& device, std::span<const T> values) {
    return write_bytes(device, std::as_bytes(values));
  }
  VkDescriptorBufferInfo whole() const { return buffer_.whole(); }
  VkBuffer handle() const { return buffer_.handle(); }

 private:
  Result<void> write_bytes(const runtime::Device& device, std::span<const std::byte> bytes);

  VkBufferUsageFlags usage_ = 0;
  std::string name_;
  runtime::Buffer buffer_;
};

// The layout of a descriptor set, for vertex and fragment shaders.
struct SetLayout {
  Owned<VkDescriptorSetLayout> handle;
  std::vector<VkDescriptorPoolSize> sizes;  // the descriptors of one set
};
struct SetBinding {
  std::uint32_t index;
  VkDescriptorType type;
};
Result<SetLayout> make_set_layout(const runtime::Device& device, std::span<const SetBinding> bindings,
                                  const std::string& name);

// Descriptor sets of one layout. Sets are added when needed; their user writes them before each use.
class DescriptorSets {
 public:
  DescriptorSets() = default;
  explicit DescriptorSets(const SetLayout& layout) : layout_(layout.handle.get()), sizes_(layout.sizes) {}

  // Makes at least `count` sets. The device must no longer read the previous ones.
  Result<void> reserve(const runtime::Device& device, std::size_t count);
  VkDescriptorSet operator[](std::size_t i) const { return sets_[i]; }

 private:
  VkDescriptorSetLayout layout_ = VK_NULL_HANDLE;
  std::vector<VkDescriptorPoolSize> sizes_;
  Owned<VkDescriptorPool> pool_;
  std::vector<VkDescriptorSet> sets_;
};

void write_descriptor(const runtime::Device& device, VkDescriptorSet set, std::uint32_t binding, VkDescriptorType type,
                      const VkDescriptorBufferInfo& info);
// Writes a combined image and sampler; the image is in VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL.
void write_descriptor(const runtime::Device& device, VkDescriptorSet set, std::uint32_t binding, VkImageView view,
                      VkSampler sampler);

struct TextureOptions {
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkExtent2D size{};
  std::uint32_t layers = 1;
  VkImageUsageFlags usage = 0;
  std::uint32_t levels = 1;  // levels of the mip chain
};

// An image in device memory with a view of all layers, and one of each layer.
struct Texture {
  runtime::Allocation memory;
  Owned<VkImage> image;
  Owned<VkImageView> view;
  std::vector<Owned<VkImageView>> layer_views;  // empty if there is only one layer
  VkImageAspectFlags aspect = 0;
};

Result<Texture> make_texture(const runtime::Device& device, const TextureOptions& options, const std::string& name);

// Copies pictures of 4 bytes per pixel to the host, always through the same buffer.
class PictureReader {
 public:
  PictureReader() = default;
  static Result<PictureReader> create(const runtime::Device& device, VkExtent2D size, const std::string& name);

  // Records the copy of an image in VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL whose writes are visible to copies.
  void record(const runtime::Device& device, VkCommandBuffer commands, VkImage image) const;
  // Returns the picture once those commands are done.
  Image picture() const;
  bool empty() const { return buffer_.size() == 0; }

 private:
  VkExtent2D size_{};
  runtime::Buffer buffer_;
};

// Returns the first format that the device offers with all of `features` and optimal tiling, or VK_FORMAT_UNDEFINED.
VkFormat first_format(const runtime::Device& device, std::span<const VkFormat> formats, VkFormatFeatureFlags features);

// The use of an image before or after a barrier.
struct ImageUse {
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
  VkPipelineStageFlags2 stage = VK_PIPELINE_STAGE_2_NONE;
  VkAccessFlags2 access = VK_ACCESS_2_NONE;
};

inline constexpr ImageUse kDrawnColor{VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                      VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                                      VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT};
inline constexpr ImageUse kDrawnDepth{
    VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
    VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT};
inline constexpr ImageUse kSampled{VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                                   VK_ACCESS_2_SHADER_SAMPLED_READ_BIT};
inline constexpr ImageUse kCopied{VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                                  VK_ACCESS_2_TRANSFER_READ_BIT};
// Returns the same use, with contents that will be overwritten.
constexpr ImageUse discarded(ImageUse use) {
  use.layout = VK_IMAGE_LAYOUT_UNDEFINED;
  return use;
}

// Describes a color that is drawn to; `clear` matters if `load` clears it.
VkRenderingAttachmentInfo color_attachment(const Texture& texture, VkAttachmentLoadOp load,
                                           VkClearColorValue clear = {});

// Begins rendering to `area`, and sets viewport and scissor; pixels outside of it are kept. `depth` is cleared, and may
// be VK_NULL_HANDLE.
void begin_rendering(const runtime::Device& device, VkCommandBuffer commands, VkExtent2D extent, const VkRect2D& area,
                     std::span<const VkRenderingAttachmentInfo> colors, VkImageView depth);

void image_barrier(const runtime::Device& device, VkCommandBuffer commands, VkImage image,
                   const VkImageSubresourceRange& range, const ImageUse& before, const ImageUse& after);
// Records a barrier for `level_count` levels of the mip chain.
void image_barrier(const runtime::Device& device, VkCommandBuffer commands, const Texture& texture,
                   const ImageUse& before, const ImageUse& after, std::uint32_t first_level = 0,
                   std::uint32_t level_count = VK_REMAINING_MIP_LEVELS);

}  // namespace pelt::samples
