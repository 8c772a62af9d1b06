// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <pelt/result.h>

namespace pelt::samples {

// 8-bit sRGB with alpha, rows from the top, 4 bytes per pixel.
struct Image {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t> pixels;
};

struct ImageSize {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

// Reads "WxH", `least` to `most` pixels each; none if the text is not of that form.
std::optional<ImageSize> parse_size(std::string_view text, std::uint32_t least, std::uint32_t most);

// Writes a PNG to a temporary name and renames it. Errors: an image without pixels, or whose size and pixels disagree;
// the operating system's errors.
Result<void> write_png(const std::filesystem::path& path, const Image& image);

// Returns the font of labels, a TrueType file embedded in the program.
std::span<const unsigned char> label_font();

// Writes one line of UTF-8 text into the image, anti-aliased, dark, or light on dark pixels: centred on column
// `center_x`, its baseline on row `baseline_y`, capitals about 0.73 * `size` pixels high. Text outside the image is
// clipped.
void draw_label(Image& image, std::string_view text, float center_x, float baseline_y, float size);

// Returns the width of such a line, pixels.
float label_width(std::string_view text, float size);

// Draws the colours of DrawItem::weights as a bar from 0 (left) to 1 in the lower left corner, with labels of both ends
// above it.
void draw_legend(Image& image, std::string_view least, std::string_view most, float first = 0);

}  // namespace pelt::samples
