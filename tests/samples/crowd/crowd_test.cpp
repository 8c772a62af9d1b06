// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples/crowd/march.h"
#include "tests/samples/read_png.h"
#include "tests/support/program.h"

namespace pelt {
namespace {

using samples::Image;
using samples::SeenBy;
using samples::Walker;
using testing::HasSubstr;

TEST(CrowdSample, WalksAndIsDrawn) {
  const test::TemporaryFolder folder;
  const test::Outcome outcome =
      test::run_program(PELT_CROWD, "--instances 40 --frames 3 --size 320x180 --samples 2 -o small.png", folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("40 instances of 4 characters on "));
  EXPECT_THAT(outcome.output, HasSubstr("3 frames: each "));
  const std::optional<Image> image = test::read_png(folder / "small.png");
  ASSERT_TRUE(image);
  EXPECT_EQ(image->width, 320u);
  EXPECT_EQ(image->height, 180u);
  // Each of the four colours appears; the grey backdrop has none of them.
  std::size_t red = 0, yellow = 0, green = 0, blue = 0;
  for (std::size_t i = 0; i < image->pixels.size(); i += 4) {
    const int r = image->pixels[i], g = image->pixels[i + 1], b = image->pixels[i + 2];
    red += r > g + 50 && g < b + 30 ? 1 : 0;
    yellow += r > b + 50 && g > b + 35 ? 1 : 0;
    green += g > r + 30 ? 1 : 0;
    blue += b > r + 30 && b > g + 15 ? 1 : 0;
  }
  for (const std::size_t pixels : {red, yellow, green, blue}) EXPECT_GT(pixels, 100u);
}

TEST(CrowdSample, NamesWhatIsWrong) {
  const test::TemporaryFolder folder;
  const test::Outcome none = test::run_program(PELT_CROWD, "none.pelt", folder.path());
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.errors, HasSubstr("none.pelt"));
  EXPECT_EQ(test::run_program(PELT_CROWD, "--size 320", folder.path()).status, 2);
  EXPECT_EQ(test::run_program(PELT_CROWD, "--instances 0", folder.path()).status, 2);
}

TEST(CrowdSample, HasAsManyOfEachCharacter) {
  for (const std::uint32_t count : {1u, 3u, 40u, 1000u}) {
    const std::vector<Walker> walkers = samples::line_up(count, 4, 1.8f);
    ASSERT_EQ(walkers.size(), count);
    std::vector<std::uint32_t> counts(4);
    for (std::size_t i = 0; i < walkers.size(); ++i) {
      ASSERT_LT(walkers[i].character, 4u);
      if (i > 0) {
        EXPECT_GE(walkers[i].character, walkers[i - 1].character);
      }
      ++counts[walkers[i].character];
    }
    if (count % 4 == 0) {
      EXPECT_THAT(counts, testing::Each(count / 4));
    }
  }
}

TEST(CrowdSample, LeavesOutWhatTheCameraDoesNotSee) {
  const SeenBy seen_by({.eye = glm::vec3(0.0f), .target = {0.0f, 0.0f, -1.0f}, .vertical_fov = 1.5707963f}, 2.0f);
  EXPECT_TRUE(seen_by.sees({0, 0, -5}, 0.1f));
  EXPECT_FALSE(seen_by.sees({0, 0, 5}, 0.1f));
  EXPECT_FALSE(seen_by.sees({0, 6, -5}, 0.7f)) << "0.707 beyond the upper plane";
  EXPECT_TRUE(seen_by.sees({0, 6, -5}, 0.72f));
  EXPECT_TRUE(seen_by.sees({9.9f, 0, -5}, 0.01f));
  EXPECT_FALSE(seen_by.sees({-10.1f, 0, -5}, 0.01f));
  EXPECT_FLOAT_EQ(seen_by.share_of_picture({3, 1, -5}, 1.0f), 0.1f);
}

}  // namespace
}  // namespace pelt
