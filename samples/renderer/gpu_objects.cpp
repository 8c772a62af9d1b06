// SPDX-License-Identifier: MIT
#include "samples/renderer/gpu_objects.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <pelt/runtime/debug.h>
#include <pelt/runtime/transfer.h>
#include <pelt/try.h>

namespace pelt::samples {
namespace {

Result<Owned<VkImageView>> make_view(const runtime::Device& device, const Texture& texture, VkFormat format,
                                     VkImageViewType type, std::uint32_t first_layer, std::uint32_t layers,
                                     const std::string& name) {
  const runtime::DeviceFunctions& vk = device.functions();
  const VkImageViewCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
      .image = texture.image.get(),
      .viewType = type,
      .format = format,
      .subresourceRange = {texture.aspect, 0, VK_REMAINING_MIP_LEVELS, first_layer, layers}};
  PELT_ASSIGN(auto made, make_object<VkImageView>(device, vk.vkCreateImageView, vk.vkDestroyImageView, info,
                                                  "a view of the image " + name));
  runtime::set_name(device, VK_OBJECT_TYPE_IMAGE_VIEW, made.get(), name);
  return made;
}

}  // namespace

Result<void> StreamBuffer::write_bytes(const runtime::Device& device, std::span<const std::byte> bytes) {
  // The buffer is never empty, so that it can be bound.
  const VkDeviceSize needed = std::max<VkDeviceSize>(bytes.size(), 64);
  if (buffer_.size() < needed) {
    PELT_ASSIGN(auto made,
                runtime::Buffer::create(device, {.size = buffer_.size() == 0 ? needed : std::bit_ceil(needed),
                                                 .usage = usage_,
                                                 .memory = runtime::MemoryUse::kStream,
                                                 .name = name_}));
    buffer_ = std::move(made);
  }
  if (bytes.empty()) return {};
  std::memcpy(buffer_.mapped(), bytes.data(), bytes.size());
  buffer_.flush(0, bytes.size());
  return {};
}

Result<SetLayout> make_set_layout(const runtime::Device& device, std::span<const SetBinding> bindings,
                                  const std::string& name) {
  const runtime::DeviceFunctions& vk = device.functions();
  SetLayout made;
  std::vector<VkDescriptorSetLayoutBinding> list;
  for (const auto& [index, type] : bindings) {
    list.push_back({.binding = index,
                    .descriptorType = type,
                    .descriptorCount = 1,
                    .stageFlags = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT});
    made.sizes.push_back({type, 1});
  }
  const VkDescriptorSetLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                             .bindingCount = static_cast<std::uint32_t>(list.size()),
                                             .pBindings = list.data()};
  PELT_ASSIGN(made.handle, make_object<VkDescriptorSetLayout>(device, vk.vkCreateDescriptorSetLayout,
                                                              vk.vkDestroyDescriptorSetLayout, info, name));
  return made;
}

Result<void> DescriptorSets::reserve(const runtime::Device& device, std::size_t count) {
  if (count <= sets_.size()) return {};
  const runtime::DeviceFunctions& vk = device.functions();
  const auto wanted = static_cast<std::uint32_t>(std::bit_ceil(count));
  std::vector<VkDescriptorPoolSize> sizes = sizes_;
  for (VkDescriptorPoolSize& size : sizes) size.descriptorCount *= wanted;
  const VkDescriptorPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = wanted,
                                             .poolSizeCount = static_cast<std::uint32_t>(sizes.size()),
                                             .pPoolSizes = sizes.data()};
  PELT_ASSIGN(auto pool, make_object<VkDescriptorPool>(device, vk.vkCreateDescriptorPool, vk.vkDestroyDescriptorPool,
                                                       pool_info, "a scene's descriptors"));
  const std::vector<VkDescriptorSetLayout> layouts(wanted, layout_);
  std::vector<VkDescriptorSet> sets(wanted);
  const VkDescriptorSetAllocateInfo set_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorPool = pool.get(),
                                             .descriptorSetCount = wanted,
                                             .pSetLayouts = layouts.data()};
  const VkResult result = vk.vkAllocateDescriptorSets(device.handle(), &set_info, sets.data());
  if (result != VK_SUCCESS) return runtime::vulkan_failure("make a scene's descriptors", result);
  pool_ = std::move(pool);
  sets_ = std::move(sets);
  return {};
}

void write_descriptor(const runtime::Device& device, VkDescriptorSet set, std::uint32_t binding, VkDescriptorType type,
                      const VkDescriptorBufferInfo& info) {
  const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .dstSet = set,
                                   .dstBinding = binding,
                                   .descriptorCount = 1,
                                   .descriptorType = type,
                                   .pBufferInfo = &info};
  device.functions().vkUpdateDescriptorSets(device.handle(), 1, &write, 0, nullptr);
}

void write_descriptor(const runtime::Device& device, VkDescriptorSet set, std::uint32_t binding, VkImageView view,
                      VkSampler sampler) {
  const VkDescriptorImageInfo info{sampler, view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .dstSet = set,
                                   .dstBinding = binding,
                                   .descriptorCount = 1,
                                   .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                   .pImageInfo = &info};
  device.functions().vkUpdateDescriptorSets(device.handle(), 1, &write, 0, nullptr);
}

Result<Texture> make_texture(const runtime::Device& device, const TextureOptions& options, const std::string& name) {
  const runtime::DeviceFunctions& vk = device.functions();
  Texture made;
  const bool depth = (options.usage & VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT) != 0;
  made.aspect = depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
  const VkImageCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .imageType = VK_IMAGE_TYPE_2D,
                               .format = options.format,
                               .extent = {options.size.width, options.size.height, 1},
                               .mipLevels = options.levels,
                               .arrayLayers = options.layers,
                               .samples = VK_SAMPLE_COUNT_1_BIT,
                               .tiling = VK_IMAGE_TILING_OPTIMAL,
                               .usage = options.usage};
  PELT_ASSIGN(made.image, make_object<VkImage>(device, vk.vkCreateImage, vk.vkDestroyImage, info, "the image " + name));
  const VkImage image = made.image.get();
  runtime::set_name(device, VK_OBJECT_TYPE_IMAGE, image, name);
  VkMemoryRequirements needs;
  vk.vkGetImageMemoryRequirements(device.handle(), image, &needs);
  PELT_ASSIGN(auto memory, runtime::allocate(device, needs, runtime::MemoryUse::kDeviceLocal, name));
  made.memory = std::move(memory);
  const VkResult bound = vk.vkBindImageMemory(device.handle(), image, made.memory.memory(), made.memory.offset());
  if (bound != VK_SUCCESS) return runtime::vulkan_failure("give memory to the image " + name, bound);
  const VkImageViewType type = options.layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
  PELT_ASSIGN(made.view, make_view(device, made, options.format, type, 0, options.layers, name));
  for (std::uint32_t layer = 0; options.layers > 1 && layer < options.layers; ++layer) {
    PELT_ASSIGN(auto one, make_view(device, made, options.format, VK_IMAGE_VIEW_TYPE_2D, layer, 1, name));
    made.layer_views.push_back(std::move(one));
  }
  return made;
}

Result<PictureReader> PictureReader::create(const runtime::Device& device, VkExtent2D size, const std::string& name) {
  PictureReader reader;
  reader.size_ = size;
  PELT_ASSIGN(reader.buffer_, runtime::Buffer::create(device, {.size = VkDeviceSize{4} * size.width * size.height,
                                                               .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                                               .memory = runtime::MemoryUse::kReadback,
                                                               .name = name}));
  return reader;
}

void PictureReader::record(const runtime::Device& device, VkCommandBuffer commands, VkImage image) const {
  const VkBufferImageCopy copy{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                               .imageExtent = {size_.width, size_.height, 1}};
  device.functions().vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer_.handle(), 1,
                                            &copy);
  runtime::memory_barrier(device.functions(), commands, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                          VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
}

Image PictureReader::picture() const {
  Image image{.width = size_.width, .height = size_.height, .pixels = {}};
  image.pixels.resize(buffer_.size());
  buffer_.invalidate(0, buffer_.size());
  std::memcpy(image.pixels.data(), buffer_.mapped(), buffer_.size());
  return image;
}

VkFormat first_format(const runtime::Device& device, std::span<const VkFormat> formats, VkFormatFeatureFlags features) {
  const auto get_properties = reinterpret_cast<PFN_vkGetPhysicalDeviceFormatProperties>(
      runtime::vulkan_entry_point()(device.instance(), "vkGetPhysicalDeviceFormatProperties"));
  for (const VkFormat format : formats) {
    VkFormatProperties properties;
    get_properties(device.physical(), format, &properties);
    if ((properties.optimalTilingFeatures & features) == features) return format;
  }
  return VK_FORMAT_UNDEFINED;
}

VkRenderingAttachmentInfo color_attachment(const Texture& texture, VkAttachmentLoadOp load, VkClearColorValue clear) {
  return {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
          .imageView = texture.view.get(),
          .imageLayout = kDrawnColor.layout,
          .loadOp = load,
          .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
          .clearValue = {.color = clear}};
}

void begin_rendering(const runtime::Device& device, VkCommandBuffer commands, VkExtent2D extent, const VkRect2D& area,
                     std::span<const VkRenderingAttachmentInfo> colors, VkImageView depth) {
  const runtime::DeviceFunctions& vk = device.functions();
  const VkRenderingAttachmentInfo depth_info{.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = depth,
                                             .imageLayout = kDrawnDepth.layout,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                             .clearValue = {.depthStencil = {1.0f, 0}}};
  const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .renderArea = area,
                             .layerCount = 1,
                             .colorAttachmentCount = static_cast<std::uint32_t>(colors.size()),
                             .pColorAttachments = colors.data(),
                             .pDepthAttachment = depth != VK_NULL_HANDLE ? &depth_info : nullptr};
  vk.vkCmdBeginRendering(commands, &info);
  const VkViewport viewport{0, 0, static_cast<float>(extent.width), static_cast<float>(extent.height), 0, 1};
  vk.vkCmdSetViewport(commands, 0, 1, &viewport);
  vk.vkCmdSetScissor(commands, 0, 1, &area);
}

void image_barrier(const runtime::Device& device, VkCommandBuffer commands, VkImage image,
                   const VkImageSubresourceRange& range, const ImageUse& before, const ImageUse& after) {
  const VkImageMemoryBarrier2 barrier{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                      .srcStageMask = before.stage,
                                      .srcAccessMask = before.access,
                                      .dstStageMask = after.stage,
                                      .dstAccessMask = after.access,
                                      .oldLayout = before.layout,
                                      .newLayout = after.layout,
                                      .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                      .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                      .image = image,
                                      .subresourceRange = range};
  const VkDependencyInfo info{
      .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &barrier};
  device.functions().vkCmdPipelineBarrier2(commands, &info);
}

void image_barrier(const runtime::Device& device, VkCommandBuffer commands, const Texture& texture,
                   const ImageUse& before, const ImageUse& after, std::uint32_t first_level,
                   std::uint32_t level_count) {
  image_barrier(device, commands, texture.image.get(),
                {texture.aspect, first_level, level_count, 0, VK_REMAINING_ARRAY_LAYERS}, before, after);
}

}  // namespace pelt::samples
