// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include <pelt/result.h>

namespace pelt::samples {

// 8-bit sRGB with alpha, rows from the top, 4 bytes a pixel.
struct Image {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t> pixels;
};

// Written to a temporary name and renamed. Errors: an image whose size and pixels disagree or that has none, and what
// the operating system says.
Result<void> write_png(const std::filesystem::path& path, const Image& image);

// The font of labels, a TrueType file in the program.
std::span<const unsigned char> label_font();

// Writes one line of UTF-8 text into the image, dark and anti-aliased: centred on column `center_x`, its baseline on
// row `baseline_y`, capitals about 0.73 * `size` pixels high. What falls outside the image is left out.
void draw_label(Image& image, std::string_view text, float center_x, float baseline_y, float size);

// The colours that DrawItem::weights are drawn in, as a bar from 0 (left) to 1 with its two ends named above it, in the
// lower left corner.
void draw_legend(Image& image, std::string_view least, std::string_view most);

}  // namespace pelt::samples
