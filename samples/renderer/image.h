// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/core/result.h"

namespace pelt::samples {

// 8-bit sRGB with alpha, rows from the top, 4 bytes a pixel.
struct Image {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t> pixels;
};

// Written to a temporary name and renamed.
Result<void> write_png(const std::filesystem::path& path, const Image& image);

}  // namespace pelt::samples
