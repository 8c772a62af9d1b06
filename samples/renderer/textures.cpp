// SPDX-License-Identifier: MIT
#include "samples/renderer/textures.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "runtime/buffer.h"
#include "runtime/transfer.h"
#include "runtime/vulkan_functions.h"

namespace pelt::samples {
namespace {

constexpr ImageUse kFilled{VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                           VK_ACCESS_2_TRANSFER_WRITE_BIT};
constexpr ImageUse kRead{VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                         VK_ACCESS_2_TRANSFER_READ_BIT};
constexpr ImageUse kSampled{VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                            VK_ACCESS_2_SHADER_SAMPLED_READ_BIT};

}  // namespace

Result<Texture> upload_image(const runtime::Device& device, const Image& image, const std::string& name) {
  const auto levels = static_cast<std::uint32_t>(std::bit_width(std::max(image.width, image.height)));
  auto texture = make_texture(
      device,
      {.format = VK_FORMAT_R8G8B8A8_SRGB,
       .size = {image.width, image.height},
       .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
       .levels = levels},
      name);
  if (!texture) return texture;
  auto staging = runtime::Buffer::create(device, {.size = image.pixels.size(),
                                                  .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                                  .memory = runtime::MemoryUse::kStaging,
                                                  .name = "staging for an image"});
  if (!staging) return tl::unexpected(staging.error());
  std::memcpy(staging->mapped(), image.pixels.data(), image.pixels.size());
  staging->flush(0, image.pixels.size());

  const runtime::DeviceFunctions& vk = device.functions();
  const VkImage handle = texture->image.get();
  const auto done = runtime::submit_and_wait(device, "upload of an image", [&](VkCommandBuffer commands) {
    image_barrier(device, commands, *texture, {}, kFilled);
    const VkBufferImageCopy copy{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                 .imageExtent = {image.width, image.height, 1}};
    vk.vkCmdCopyBufferToImage(commands, staging->handle(), handle, kFilled.layout, 1, &copy);
    // Each level is the one before at half the size; blits of an sRGB format average light.
    const auto corner = [&](std::uint32_t level) {
      return VkOffset3D{static_cast<std::int32_t>(std::max(image.width >> level, 1u)),
                        static_cast<std::int32_t>(std::max(image.height >> level, 1u)), 1};
    };
    for (std::uint32_t level = 1; level < levels; ++level) {
      image_barrier(device, commands, *texture, kFilled, kRead, level - 1, 1);
      const VkImageBlit blit{.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level - 1, 0, 1},
                             .srcOffsets = {{0, 0, 0}, corner(level - 1)},
                             .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1},
                             .dstOffsets = {{0, 0, 0}, corner(level)}};
      vk.vkCmdBlitImage(commands, handle, kRead.layout, handle, kFilled.layout, 1, &blit, VK_FILTER_LINEAR);
    }
    image_barrier(device, commands, *texture, kFilled, kRead, levels - 1, 1);
    image_barrier(device, commands, *texture, kRead, kSampled);
  });
  if (!done) return tl::unexpected(done.error());
  return texture;
}

}  // namespace pelt::samples
