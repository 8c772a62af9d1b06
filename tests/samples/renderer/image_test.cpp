// SPDX-License-Identifier: MIT
#include "samples/renderer/image.h"

#include <gtest/gtest.h>

#include <glm/glm.hpp>

#include "samples/renderer/shaders/color_ramp.h"
#include "tests/samples/read_png.h"

namespace pelt::samples {
namespace {

Image gray(std::uint32_t width, std::uint32_t height, std::uint8_t value = 200) {
  return {
      .width = width, .height = height, .pixels = std::vector<std::uint8_t>(std::size_t{4} * width * height, value)};
}

std::filesystem::path file(const char* name) { return std::filesystem::path(testing::TempDir()) / name; }

TEST(Images, AreRefusedWithoutPixels) {
  EXPECT_EQ(write_png(file("empty.png"), Image{}).error().code, ErrorCode::kInvalidArgument);
  Image image = gray(3, 2);
  image.pixels.pop_back();
  EXPECT_EQ(write_png(file("short.png"), image).error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(file("short.png")));
  EXPECT_EQ(write_png("/nowhere/at/all.png", gray(1, 1)).error().code, ErrorCode::kWriteFailed);
}

TEST(Images, AreReadBackAsTheyWereWritten) {
  for (const auto& [width, height] : {std::pair{1u, 1u}, {63u, 65u}, {1234u, 2u}}) {
    Image image = gray(width, height);
    for (std::size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = static_cast<std::uint8_t>(i * 37 + i / 91);
    ASSERT_TRUE(write_png(file("image.png"), image));
    const std::optional<Image> read = test::read_png(file("image.png"));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->width, width);
    EXPECT_EQ(read->height, height);
    EXPECT_EQ(read->pixels, image.pixels);
  }
}

// Returns the columns with pixels that differ from the background.
std::vector<std::uint32_t> inked_columns(const Image& image) {
  std::vector<std::uint32_t> columns;
  for (std::uint32_t x = 0; x < image.width; ++x) {
    for (std::uint32_t y = 0; y < image.height; ++y) {
      if (image.pixels[4 * (std::size_t{y} * image.width + x)] == 200) continue;
      columns.push_back(x);
      break;
    }
  }
  return columns;
}

TEST(Labels, AreCentredDarkText) {
  Image image = gray(400, 60);
  draw_label(image, "dual quaternion", 200, 40, 24);
  const std::vector<std::uint32_t> columns = inked_columns(image);
  ASSERT_FALSE(columns.empty());
  EXPECT_NEAR(0.5 * (columns.front() + columns.back()), 200.0, 3.0);
  EXPECT_GT(columns.back() - columns.front(), 150u);
  EXPECT_NEAR(label_width("dual quaternion", 24), columns.back() - columns.front(), 4.0);
  EXPECT_NEAR(label_width("dual quaternion", 48), 2 * label_width("dual quaternion", 24), 1.0);
  EXPECT_LT(*std::min_element(image.pixels.begin(), image.pixels.end()), 60);

  Image longer = gray(400, 60);
  draw_label(longer, "dual quaternion dual quaternion", 200, 40, 24);
  EXPECT_GT(inked_columns(longer).size(), columns.size());
}

TEST(Labels, AreLightOnDarkPixels) {
  Image image{.width = 100, .height = 60, .pixels = std::vector<std::uint8_t>(24000, 20)};
  draw_label(image, "MOS", 50, 40, 24);
  EXPECT_GT(*std::max_element(image.pixels.begin(), image.pixels.end()), 200);
}

TEST(Labels, LeaveOutWhatIsOutsideTheImage) {
  Image image = gray(8, 8);
  draw_label(image, "far wider than the image", 4, 6, 40);
  draw_label(image, "above", 4, -100, 12);
  draw_label(image, "broken \xff\xe2 utf-8 \xc3", 4, 1e4f, 12);
  draw_label(image, "", 4, 4, 12);
  EXPECT_EQ(image.pixels.size(), 256u);
}

TEST(Legends, ShowTheRampFromLeftToRight) {
  Image image = gray(1280, 720);
  draw_legend(image, "0", "1");
  const auto at = [&](std::uint32_t x) {
    const std::uint8_t* pixel = &image.pixels[4 * (std::size_t{684} * image.width + x)];
    return glm::vec3(pixel[0], pixel[1], pixel[2]) / 255.0f;
  };
  EXPECT_LT(glm::distance(at(48), shared::color_ramp(0.0f)), 0.02f);
  EXPECT_LT(glm::distance(at(148), shared::color_ramp(0.5f)), 0.02f);
  EXPECT_LT(glm::distance(at(247), shared::color_ramp(1.0f)), 0.02f);
  Image tiny = gray(1, 1);
  draw_legend(tiny, "0", "1");
  EXPECT_EQ(tiny.pixels.size(), 4u);
}

}  // namespace
}  // namespace pelt::samples
