// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "label_font.h"
#include "samples/renderer/image.h"
#include "samples/renderer/shaders/color_ramp.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define STB_TRUETYPE_IMPLEMENTATION
#define STBTT_STATIC
#include <stb/stb_truetype.h>
#pragma GCC diagnostic pop

namespace pelt::samples {
namespace {

constexpr float kInk = 30.0f;        // sRGB
constexpr float kLightInk = 235.0f;  // on pixels darker than kDark
constexpr float kDark = 100.0f;

const stbtt_fontinfo& font() {
  static const stbtt_fontinfo info = [] {
    stbtt_fontinfo made{};
    stbtt_InitFont(&made, label_font().data(), stbtt_GetFontOffsetForIndex(label_font().data(), 0));
    return made;
  }();
  return info;
}

// Removes the first character of `text` and returns it; U+FFFD for bytes that are not UTF-8.
int next_character(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 0;
  if (length == 0 || length > text.size()) {
    text.remove_prefix(1);
    return 0xFFFD;
  }
  int character = length == 1 ? lead : lead & (0x7F >> length);
  for (std::size_t i = 1; i < length; ++i) character = character << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  text.remove_prefix(length);
  return character;
}

// Calls `draw` with each character and its x in pixels from the start of the line; returns the line's length, pixels.
template <class Draw>
float lay_out(std::string_view text, float scale, const Draw& draw) {
  float x = 0;
  int previous = 0;
  while (!text.empty()) {
    const int character = next_character(text);
    if (previous != 0) x += scale * static_cast<float>(stbtt_GetCodepointKernAdvance(&font(), previous, character));
    draw(character, x);
    int advance = 0;
    int bearing = 0;
    stbtt_GetCodepointHMetrics(&font(), character, &advance, &bearing);
    x += scale * static_cast<float>(advance);
    previous = character;
  }
  return x;
}

void blend(Image& image, int x, int y, glm::vec3 srgb, float opacity) {
  if (x < 0 || y < 0 || x >= static_cast<int>(image.width) || y >= static_cast<int>(image.height)) return;
  std::uint8_t* pixel = &image.pixels[4 * (static_cast<std::size_t>(y) * image.width + static_cast<std::size_t>(x))];
  for (int c = 0; c < 3; ++c) {
    pixel[c] = static_cast<std::uint8_t>(std::lround(std::lerp(static_cast<float>(pixel[c]), srgb[c], opacity)));
  }
}

// Returns the mean of the green of the pixels under a box, which the eye sees best; 255 outside the image.
float brightness(const Image& image, int left, int top, int width, int height) {
  float sum = 0;
  int count = 0;
  for (int y = std::max(top, 0); y < std::min(top + height, static_cast<int>(image.height)); ++y) {
    for (int x = std::max(left, 0); x < std::min(left + width, static_cast<int>(image.width)); ++x, ++count) {
      sum += image.pixels[4 * (static_cast<std::size_t>(y) * image.width + static_cast<std::size_t>(x)) + 1];
    }
  }
  return count == 0 ? 255 : sum / static_cast<float>(count);
}

}  // namespace

std::span<const unsigned char> label_font() {
  return {reinterpret_cast<const unsigned char*>(kLabelFont.data()), sizeof(kLabelFont)};
}

float label_width(std::string_view text, float size) {
  return lay_out(text, stbtt_ScaleForMappingEmToPixels(&font(), size), [](int, float) {});
}

void draw_label(Image& image, std::string_view text, float center_x, float baseline_y, float size) {
  const float scale = stbtt_ScaleForMappingEmToPixels(&font(), size);
  const float start = center_x - 0.5f * label_width(text, size);
  const float row = std::floor(baseline_y);
  lay_out(text, scale, [&](int character, float x) {
    const float column = std::floor(start + x);
    int width = 0;
    int height = 0;
    int left = 0;
    int top = 0;
    unsigned char* coverage = stbtt_GetCodepointBitmapSubpixel(&font(), scale, scale, start + x - column, 0, character,
                                                               &width, &height, &left, &top);
    left += static_cast<int>(column), top += static_cast<int>(row);
    const glm::vec3 ink(brightness(image, left, top, width, height) < kDark ? kLightInk : kInk);
    for (int i = 0; i < width * height; ++i) {
      blend(image, left + i % width, top + i / width, ink, static_cast<float>(coverage[i]) / 255.0f);
    }
    stbtt_FreeBitmap(coverage, nullptr);
  });
}

void draw_legend(Image& image, std::string_view least, std::string_view most, float first) {
  const float unit = static_cast<float>(image.height) / 720.0f;
  const int left = static_cast<int>(48 * unit);
  const int width = static_cast<int>(200 * unit);
  const int bottom = static_cast<int>(image.height) - static_cast<int>(32 * unit);
  for (int x = 0; x < width; ++x) {
    const glm::vec3 color = shared::color_ramp(first + (static_cast<float>(x) + 0.5f) / static_cast<float>(width));
    for (int y = bottom - static_cast<int>(12 * unit); y < bottom; ++y) blend(image, left + x, y, 255.0f * color, 1);
  }
  const float above = static_cast<float>(bottom) - 20 * unit;
  draw_label(image, least, static_cast<float>(left), above, 17 * unit);
  draw_label(image, most, static_cast<float>(left + width), above, 17 * unit);
}

}  // namespace pelt::samples
