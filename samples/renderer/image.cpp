// SPDX-License-Identifier: MIT
#include "samples/renderer/image.h"

#include <fmt/format.h>
#include <zlib.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>

#include <pelt/tools/file_io.h>

namespace {

// Compresses with zlib, which makes files half the size of stb's own compression. The caller frees the result.
unsigned char* compress_bytes(unsigned char* bytes, int size, int* compressed_size, int level) {
  uLongf length = compressBound(static_cast<uLong>(size));
  auto* compressed = static_cast<unsigned char*>(std::malloc(length));
  if (compressed == nullptr) return nullptr;
  if (compress2(compressed, &length, bytes, static_cast<uLong>(size), level) != Z_OK) {
    std::free(compressed);
    return nullptr;
  }
  *compressed_size = static_cast<int>(length);
  return compressed;
}

}  // namespace

// stb's code does not compile without warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#define STBIW_ZLIB_COMPRESS compress_bytes
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace pelt::samples {
namespace {

void append(void* bytes, void* data, int size) {
  const auto* first = static_cast<const std::byte*>(data);
  auto& out = *static_cast<std::vector<std::byte>*>(bytes);
  out.insert(out.end(), first, first + size);
}

}  // namespace

std::optional<ImageSize> parse_size(std::string_view text, std::uint32_t least, std::uint32_t most) {
  const auto side = [&](std::string_view digits, std::uint32_t& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} && end == digits.data() + digits.size() && value >= least && value <= most;
  };
  const std::size_t cross = text.find('x');
  ImageSize size;
  if (cross == std::string_view::npos || !side(text.substr(0, cross), size.width) ||
      !side(text.substr(cross + 1), size.height))
    return std::nullopt;
  return size;
}

Result<void> write_png(const std::filesystem::path& path, const Image& image) {
  constexpr std::uint32_t kMaxSide = 1u << 15;
  const std::size_t expected = std::size_t{4} * image.width * image.height;
  if (expected == 0 || image.width > kMaxSide || image.height > kMaxSide || image.pixels.size() != expected) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: cannot write an image of {} x {} pixels and {} bytes", path.string(), image.width,
                            image.height, image.pixels.size()));
  }
  std::vector<std::byte> bytes;
  stbi_write_png_compression_level = Z_BEST_COMPRESSION;
  const int width = static_cast<int>(image.width);
  if (stbi_write_png_to_func(append, &bytes, width, static_cast<int>(image.height), 4, image.pixels.data(),
                             4 * width) == 0) {
    return fail(ErrorCode::kWriteFailed, fmt::format("{}: cannot compress the picture", path.string()));
  }
  return write_file(path, bytes);
}

}  // namespace pelt::samples
