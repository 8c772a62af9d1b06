// SPDX-License-Identifier: MIT
#include "samples/renderer/textures.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include <pelt/runtime/buffer.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/vulkan_functions.h>
#include <pelt/try.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_JPEG
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

namespace pelt::samples {
namespace {

constexpr std::uint32_t kMaxSide = 16384;
constexpr std::uint64_t kMaxPixels = std::uint64_t{64} << 20;
constexpr std::uint64_t kMaxPixelsInAll = std::uint64_t{256} << 20;

constexpr ImageUse kFilled{VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                           VK_ACCESS_2_TRANSFER_WRITE_BIT};

// Decodes an image. The error is the reason to leave it out. `pixels_left`: pixels that may still be decoded.
Result<Image> decode(const EncodedImage& encoded, std::uint32_t most_side, std::uint64_t pixels_left) {
  if (encoded.bytes.empty() || encoded.bytes.size() > std::numeric_limits<int>::max()) {
    return fail(ErrorCode::kInvalidFile, fmt::format("it has {} bytes", encoded.bytes.size()));
  }
  const auto* bytes = encoded.bytes.data();
  const int size = static_cast<int>(encoded.bytes.size());
  int width = 0;
  int height = 0;
  int channels = 0;
  if (stbi_info_from_memory(bytes, size, &width, &height, &channels) == 0 || width <= 0 || height <= 0) {
    return fail(ErrorCode::kInvalidFile, "it is not a readable PNG or JPEG");
  }
  const std::uint64_t pixels = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
  if (std::cmp_greater(std::max(width, height), most_side) || pixels > std::min(kMaxPixels, pixels_left)) {
    return fail(ErrorCode::kUnsupported, fmt::format("its {} x {} pixels are too many", width, height));
  }
  constexpr int kChannels = 4;
  stbi_uc* decoded = stbi_load_from_memory(bytes, size, &width, &height, &channels, kChannels);
  if (decoded == nullptr) return fail(ErrorCode::kInvalidFile, fmt::format("it is broken: {}", stbi_failure_reason()));
  Image image{.width = static_cast<std::uint32_t>(width), .height = static_cast<std::uint32_t>(height), .pixels = {}};
  image.pixels.assign(decoded, decoded + kChannels * pixels);
  stbi_image_free(decoded);
  return image;
}

// Returns COLOR_0 of a mesh; empty without, or if all are white. Parts whose primitives lack it have 0, and get white.
std::vector<glm::vec4> colors_of(const Mesh& mesh) {
  std::vector<glm::vec4> colors(mesh.positions.size(), glm::vec4(0));
  bool alpha = false;
  for (const VertexAttribute& attribute : mesh.attributes) {
    const std::size_t channel = attribute.name.starts_with("COLOR_0.")
                                    ? std::string_view("rgba").find(attribute.name[8])
                                    : std::string_view::npos;
    if (channel == std::string_view::npos) continue;
    alpha = alpha || channel == 3;
    for (std::size_t v = 0; v < colors.size(); ++v) colors[v][static_cast<int>(channel)] = attribute.values[v];
  }
  for (const MeshPart& part : mesh.parts) {
    const auto triangles = std::span(mesh.triangles).subspan(part.first_triangle, part.triangle_count);
    const auto has_none = [&](const glm::uvec3& t) { return colors[t.x] + colors[t.y] + colors[t.z] == glm::vec4(0); };
    if (!std::ranges::all_of(triangles, has_none)) continue;
    for (const glm::uvec3& t : triangles) colors[t.x] = colors[t.y] = colors[t.z] = glm::vec4(1);
  }
  for (glm::vec4& color : colors) color.a = alpha ? color.a : 1;
  const bool all_white = std::ranges::all_of(colors, [](const glm::vec4& color) { return color == glm::vec4(1); });
  return all_white ? std::vector<glm::vec4>() : colors;
}

}  // namespace

Result<Texture> upload_image(const runtime::Device& device, const Image& image, const std::string& name) {
  const auto levels = static_cast<std::uint32_t>(std::bit_width(std::max(image.width, image.height)));
  PELT_ASSIGN(auto texture, make_texture(device,
                                         {.format = VK_FORMAT_R8G8B8A8_SRGB,
                                          .size = {image.width, image.height},
                                          .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                   VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                          .levels = levels},
                                         name));
  PELT_ASSIGN(auto staging, runtime::Buffer::create(device, {.size = image.pixels.size(),
                                                             .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                                             .memory = runtime::MemoryUse::kStaging,
                                                             .name = "staging for an image"}));
  std::memcpy(staging.mapped(), image.pixels.data(), image.pixels.size());
  staging.flush(0, image.pixels.size());

  const runtime::DeviceFunctions& vk = device.functions();
  const VkImage handle = texture.image.get();
  const auto done = runtime::submit_and_wait(device, "upload of an image", [&](VkCommandBuffer commands) {
    image_barrier(device, commands, texture, {}, kFilled);
    const VkBufferImageCopy copy{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                 .imageExtent = {image.width, image.height, 1}};
    vk.vkCmdCopyBufferToImage(commands, staging.handle(), handle, kFilled.layout, 1, &copy);
    // Each level is half the size of the previous one; blits of an sRGB format average linear light.
    const auto corner = [&](std::uint32_t level) {
      return VkOffset3D{static_cast<std::int32_t>(std::max(image.width >> level, 1u)),
                        static_cast<std::int32_t>(std::max(image.height >> level, 1u)), 1};
    };
    for (std::uint32_t level = 1; level < levels; ++level) {
      image_barrier(device, commands, texture, kFilled, kCopied, level - 1, 1);
      const VkImageBlit blit{.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level - 1, 0, 1},
                             .srcOffsets = {{0, 0, 0}, corner(level - 1)},
                             .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1},
                             .dstOffsets = {{0, 0, 0}, corner(level)}};
      vk.vkCmdBlitImage(commands, handle, kCopied.layout, handle, kFilled.layout, 1, &blit, VK_FILTER_LINEAR);
    }
    image_barrier(device, commands, texture, kFilled, kCopied, levels - 1, 1);
    image_barrier(device, commands, texture, kCopied, kSampled);
  });
  PELT_TRY(done);
  return texture;
}

Result<std::shared_ptr<MaterialTextures>> make_textures(const runtime::Device& device, const Model& model,
                                                        std::vector<std::string>& notes,
                                                        const std::function<bool(double fraction)>& goes_on) {
  auto made = std::make_shared<MaterialTextures>();
  const std::uint32_t most_side = std::min(kMaxSide, device.limits().maxImageDimension2D);
  std::uint64_t pixels_left = kMaxPixelsInAll;
  std::vector<std::int32_t> place_of_image(model.images.size(), -1);
  for (std::size_t i = 0; i < model.images.size(); ++i) {
    if (goes_on && !goes_on(static_cast<double>(i) / static_cast<double>(model.images.size()))) break;
    const EncodedImage& encoded = model.images[i];
    const Result<Image> image = decode(encoded, most_side, pixels_left);
    if (!image) {
      notes.push_back(fmt::format("the image '{}' is left out: {}", encoded.name, image.error().message));
      continue;
    }
    pixels_left -= std::uint64_t{image->width} * image->height;
    PELT_ASSIGN(auto texture, upload_image(device, *image, encoded.name));
    place_of_image[i] = static_cast<std::int32_t>(made->images.size());
    made->images.push_back(std::move(texture));
  }
  for (const Material& material : model.materials) {
    const auto image = static_cast<std::size_t>(material.base_color_image);
    const bool known = material.base_color_image >= 0 && image < place_of_image.size();
    made->materials.push_back({.image = known ? place_of_image[image] : -1, .alpha_mask = material.alpha_mask});
  }
  const auto add_colors = [&](const Mesh& mesh) {
    if (auto colors = colors_of(mesh); !colors.empty()) made->colors[mesh.name] = std::move(colors);
  };
  for (const Mesh& mesh : model.meshes) add_colors(mesh);
  for (const MeshLevel& level : model.levels) add_colors(level.mesh);
  return made;
}

}  // namespace pelt::samples
