// SPDX-License-Identifier: MIT
#include "samples/renderer/gpu_objects.h"

#include "runtime/debug.h"
#include "runtime/device_internals.h"
#include "runtime/vulkan_functions.h"

namespace pelt::samples {
namespace {

Result<Owned<VkImageView>> make_view(const runtime::Device& device, const Texture& texture, VkFormat format,
                                     VkImageViewType type, std::uint32_t first_layer, std::uint32_t layers,
                                     const std::string& name) {
  const runtime::DeviceFunctions& vk = device.functions();
  const VkImageViewCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                   .image = texture.image.get(),
                                   .viewType = type,
                                   .format = format,
                                   .subresourceRange = {texture.aspect, 0, 1, first_layer, layers}};
  VkImageView made = VK_NULL_HANDLE;
  if (const VkResult result = vk.vkCreateImageView(device.handle(), &info, nullptr, &made); result != VK_SUCCESS) {
    return runtime::vulkan_failure("make a view of the image " + name, result);
  }
  runtime::set_name(device, VK_OBJECT_TYPE_IMAGE_VIEW, made, name);
  return Owned<VkImageView>(made, {device.handle(), vk.vkDestroyImageView});
}

}  // namespace

Result<Texture> make_texture(const runtime::Device& device, const TextureOptions& options, const std::string& name) {
  const runtime::DeviceFunctions& vk = device.functions();
  Texture made;
  const bool depth = (options.usage & VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT) != 0;
  made.aspect = depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
  const VkImageCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .imageType = VK_IMAGE_TYPE_2D,
                               .format = options.format,
                               .extent = {options.size.width, options.size.height, 1},
                               .mipLevels = 1,
                               .arrayLayers = options.layers,
                               .samples = VK_SAMPLE_COUNT_1_BIT,
                               .tiling = VK_IMAGE_TILING_OPTIMAL,
                               .usage = options.usage};
  VkImage image = VK_NULL_HANDLE;
  if (const VkResult result = vk.vkCreateImage(device.handle(), &info, nullptr, &image); result != VK_SUCCESS) {
    return runtime::vulkan_failure("make the image " + name, result);
  }
  made.image = Owned<VkImage>(image, {device.handle(), vk.vkDestroyImage});
  runtime::set_name(device, VK_OBJECT_TYPE_IMAGE, image, name);
  VkMemoryRequirements needs;
  vk.vkGetImageMemoryRequirements(device.handle(), image, &needs);
  auto memory = device.internals().allocator->allocate(needs, runtime::MemoryUse::kDeviceLocal, name);
  if (!memory) return tl::unexpected(memory.error());
  made.memory = std::move(*memory);
  const VkResult bound = vk.vkBindImageMemory(device.handle(), image, made.memory.memory(), made.memory.offset());
  if (bound != VK_SUCCESS) return runtime::vulkan_failure("give memory to the image " + name, bound);
  const VkImageViewType type = options.layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
  auto view = make_view(device, made, options.format, type, 0, options.layers, name);
  if (!view) return tl::unexpected(view.error());
  made.view = std::move(*view);
  for (std::uint32_t layer = 0; options.layers > 1 && layer < options.layers; ++layer) {
    auto one = make_view(device, made, options.format, VK_IMAGE_VIEW_TYPE_2D, layer, 1, name);
    if (!one) return tl::unexpected(one.error());
    made.layer_views.push_back(std::move(*one));
  }
  return made;
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

void image_barrier(const runtime::Device& device, VkCommandBuffer commands, const Texture& texture,
                   const ImageUse& before, const ImageUse& after) {
  const VkImageMemoryBarrier2 barrier{
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
      .srcStageMask = before.stage,
      .srcAccessMask = before.access,
      .dstStageMask = after.stage,
      .dstAccessMask = after.access,
      .oldLayout = before.layout,
      .newLayout = after.layout,
      .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .image = texture.image.get(),
      .subresourceRange = {texture.aspect, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
  const VkDependencyInfo info{
      .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &barrier};
  device.functions().vkCmdPipelineBarrier2(commands, &info);
}

}  // namespace pelt::samples
