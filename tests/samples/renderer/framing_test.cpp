// SPDX-License-Identifier: MIT
#include "samples/renderer/framing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>

namespace pelt::samples {
namespace {

Bounds box_of(glm::vec3 low, glm::vec3 high) {
  Bounds box;
  box.add(low);
  box.add(high);
  return box;
}

glm::vec3 corner(const Bounds& box, int i) {
  return {(i & 1) != 0 ? box.high.x : box.low.x, (i & 2) != 0 ? box.high.y : box.low.y,
          (i & 4) != 0 ? box.high.z : box.low.z};
}

TEST(Boxes, AreEmptyUntilSomethingIsAdded) {
  Bounds box;
  EXPECT_TRUE(box.empty());
  EXPECT_EQ(box.size(), glm::vec3(0.0f));
  EXPECT_TRUE(transform_bounds(glm::mat4(1.0f), box).empty());
  box.add(Bounds{});
  EXPECT_TRUE(box.empty());
  box.add(glm::vec3(1, 2, 3));
  EXPECT_FALSE(box.empty());
  EXPECT_EQ(box.center(), glm::vec3(1, 2, 3));
}

TEST(Boxes, HoldWhatIsMoved) {
  const Bounds box = box_of({0, 0, 0}, {1, 2, 3});
  const Bounds turned = transform_bounds(glm::rotate(glm::mat4(1.0f), glm::radians(90.0f), glm::vec3(0, 0, 1)), box);
  EXPECT_NEAR(turned.low.x, -2.0f, 1e-5f);
  EXPECT_NEAR(turned.high.y, 1.0f, 1e-5f);
  EXPECT_NEAR(turned.high.z, 3.0f, 1e-5f);
}

// Boxes from 2 cm to 500 m, long in every direction, from all sides: the whole box is visible and fills the picture.
TEST(Cameras, FillThePictureWithTheBox) {
  const View view;
  for (const float scale : {0.01f, 1.0f, 170.0f}) {
    for (const glm::vec3 shape : {glm::vec3(1, 1.8f, 0.4f), glm::vec3(0.2f, 0.5f, 1.7f), glm::vec3(3, 0.1f, 0.1f)}) {
      for (const float aspect : {16.0f / 9.0f, 1.0f, 0.5f}) {
        for (float yaw = -3.0f; yaw < 3.2f; yaw += 1.1f) {
          for (const float pitch : {-1.2f, 0.0f, 0.12f, 1.4f}) {
            const glm::vec3 middle = scale * glm::vec3(3, -4, 5);
            const Bounds box = box_of(middle - 0.5f * scale * shape, middle + 0.5f * scale * shape);
            const Camera camera = frame_camera({&box, 1}, aspect, {.yaw = yaw, .pitch = pitch});
            const glm::mat4 clip = clip_from_world(camera, aspect, box);
            glm::vec2 reach(0.0f);
            for (int i = 0; i < 8; ++i) {
              const glm::vec4 at = clip * glm::vec4(corner(box, i), 1.0f);
              ASSERT_GT(at.w, 0.0f);
              EXPECT_GE(at.z / at.w, 0.0f);
              EXPECT_LE(at.z / at.w, 1.0f);
              reach = glm::max(reach, glm::abs(glm::vec2(at) / at.w));
            }
            EXPECT_LT(std::max(reach.x, reach.y), 1.001f / view.margin);
            EXPECT_GT(std::max(reach.x, reach.y), 0.3f);
          }
        }
      }
    }
  }
}

TEST(Cameras, SeeThePointTheyLookAtInTheMiddle) {
  const Bounds box = box_of({-1, 0, -1}, {1, 2, 1});
  const Camera camera = frame_camera({&box, 1}, 2.0f);
  const glm::vec2 at = project(camera, 200, 100, camera.target);
  EXPECT_NEAR(at.x, 100.0f, 1e-3f);
  EXPECT_NEAR(at.y, 50.0f, 1e-3f);
  EXPECT_LT(project(camera, 200, 100, camera.target + glm::vec3(0, 0.2f, 0)).y, 50.0f);  // rows count from the top
}

TEST(Rows, StandApartAcrossThePicture) {
  const Bounds box = box_of({-0.9f, 0, -0.2f}, {0.9f, 1.8f, 0.3f});
  EXPECT_TRUE(side_by_side(box, 0, 0.3f).empty());
  ASSERT_EQ(side_by_side(box, 1, 0.3f).size(), 1u);
  EXPECT_EQ(side_by_side(box, 1, 0.3f)[0], glm::mat4(1.0f));
  for (const float yaw : {0.0f, 0.45f, 1.6f, 3.0f}) {
    const std::vector<glm::mat4> worlds = side_by_side(box, 3, yaw);
    std::vector<Bounds> row;
    for (const glm::mat4& world : worlds) row.push_back(transform_bounds(world, box));
    const Camera camera = frame_camera(row, 3.0f, {.yaw = yaw});
    float previous = -1e30f;
    for (const glm::mat4& world : worlds) {
      float left = 1e30f;
      float right = -1e30f;
      for (int i = 0; i < 8; ++i) {
        const float x = project(camera, 900, 300, glm::vec3(world * glm::vec4(corner(box, i), 1.0f))).x;
        left = std::min(left, x);
        right = std::max(right, x);
      }
      EXPECT_GT(left, previous - 15.0f) << yaw;  // perspective lets near and far corners overlap a little
      previous = right;
    }
  }
}

}  // namespace
}  // namespace pelt::samples
