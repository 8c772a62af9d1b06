// SPDX-License-Identifier: MIT
#include "tests/samples/read_png.h"

#include "tests/support/program.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

namespace pelt::test {

std::optional<samples::Image> read_png(const std::filesystem::path& path) {
  const std::string bytes = file_text(path);
  int width = 0, height = 0, channels = 0;
  stbi_uc* pixels = stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(bytes.data()),
                                          static_cast<int>(bytes.size()), &width, &height, &channels, 4);
  if (pixels == nullptr) return std::nullopt;
  samples::Image image{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), {}};
  image.pixels.assign(pixels, pixels + std::size_t{4} * image.width * image.height);
  stbi_image_free(pixels);
  return image;
}

}  // namespace pelt::test
