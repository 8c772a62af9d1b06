// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <random>
#include <set>

#include <pelt/runtime/crowd.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/upload.h>

#include "samples/crowd/culling.h"
#include "samples/crowd/march.h"
#include "tests/samples/read_png.h"
#include "tests/support/driven.h"
#include "tests/support/gpu.h"
#include "tests/support/must.h"
#include "tests/support/program.h"
#include "tests/support/tube.h"

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

// Returns the distance of a point from the nearest side of the view, negative outside.
float inside(const SeenBy& seen_by, glm::vec3 at) {
  float least = 1e30f;
  for (const glm::vec4& plane : seen_by.planes()) least = std::min(least, glm::dot(plane, glm::vec4(at, 1)));
  return least;
}

TEST(CrowdSample, KnowsTheSidesOfTheView) {
  const SeenBy seen_by({.eye = glm::vec3(0.0f), .target = {0.0f, 0.0f, -1.0f}, .vertical_fov = 1.5707963f}, 2.0f);
  EXPECT_NEAR(inside(seen_by, {0, 0, -5}), 5 * std::sqrt(0.5f), 1e-4f);
  EXPECT_LT(inside(seen_by, {0, 0, 5}), 0);
  EXPECT_NEAR(inside(seen_by, {0, 6, -5}), -std::sqrt(0.5f), 1e-4f);
  EXPECT_GT(inside(seen_by, {9.9f, 0, -5}), 0);
  EXPECT_LT(inside(seen_by, {-10.1f, 0, -5}), 0);
  EXPECT_FLOAT_EQ(seen_by.share_of_picture({3, 1, -5}, 1.0f), 0.1f);
}

// The shader lists just the instances of whose boxes, as read back, no side of the view has all corners outside.
TEST(CrowdSample, CullsOnTheDeviceByTheBoxesOfTheFrame) {
  PELT_REQUIRE_GPU(test::gpu_device());
  const runtime::Device& device = *test::gpu_device();
  constexpr std::uint32_t kCount = 300;
  const SeenBy seen_by({.eye = {0, 2, 9}, .target = {0, 0, 0}, .vertical_fov = 0.7f}, 1.5f);
  const Character character = test::bound_by(test::make_tube(), "linear_blend");
  const runtime::GpuCharacters gpu = test::must(runtime::upload(device, character));
  samples::CrowdCulling culling = test::must(samples::CrowdCulling::create(device, kCount));
  runtime::CrowdOptions options{.instances = {kCount}};
  options.outputs.bounds = true;
  options.drawn = culling.drawn();
  runtime::Crowd crowd = test::must(runtime::Crowd::create(device, gpu, options));
  ASSERT_TRUE(culling.read(crowd));
  std::mt19937 random(3);
  std::uniform_real_distribution<float> any(-9, 9);
  std::vector<glm::mat4> worlds;
  std::vector<glm::mat4> joints = test::bind_matrices(test::make_tube());
  for (std::uint32_t i = 0; i < kCount; ++i) {
    worlds.push_back(glm::translate(glm::mat4(1), glm::vec3(any(random), any(random), any(random))) *
                     glm::rotate(glm::mat4(1), any(random), glm::normalize(glm::vec3(any(random), 1, any(random)))));
    culling.place(i, worlds.back());
    std::vector<glm::mat4> bent = joints;
    bent[1] = bent[1] * glm::rotate(glm::mat4(1), 0.2f * any(random), glm::vec3(0, 0, 1));
    crowd.pose(i, bent);
  }
  ASSERT_TRUE(runtime::submit_and_wait(device, "frame", [&](VkCommandBuffer commands) {
    crowd.record_pose(commands);
    culling.record(device, commands, seen_by.planes());
    crowd.record_blend(commands);
  }));
  const std::vector<std::uint32_t> listed = test::must(culling.seen(device));
  const std::set<std::uint32_t> seen(listed.begin(), listed.end());
  EXPECT_EQ(seen.size(), listed.size());
  EXPECT_GT(seen.size(), kCount / 8);
  EXPECT_LT(seen.size(), kCount * 3 / 4);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const runtime::Box box = test::must(runtime::read_bounds(device, crowd, i));
    float least = 1e30f;  // over the sides, of the farthest corner towards the inside
    for (const glm::vec4& plane : seen_by.planes()) {
      float farthest = -1e30f;
      for (int corner = 0; corner < 8; ++corner) {
        const glm::vec3 at((corner & 1) != 0 ? box.greatest.x : box.least.x,
                           (corner & 2) != 0 ? box.greatest.y : box.least.y,
                           (corner & 4) != 0 ? box.greatest.z : box.least.z);
        farthest = std::max(farthest, glm::dot(plane, worlds[i] * glm::vec4(at, 1)));
      }
      least = std::min(least, farthest);
    }
    if (std::abs(least) > 1e-4f) {
      EXPECT_EQ(seen.contains(i), least > 0) << i << ": " << least;
    }
  }
}

}  // namespace
}  // namespace pelt
