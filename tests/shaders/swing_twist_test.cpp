// SPDX-License-Identifier: MIT
#include "shaders/swing_twist.h"

#include <cmath>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/quaternion.hpp>

namespace pelt::shared {
namespace {

vec4 words(const glm::quat& q) { return vec4(q.x, q.y, q.z, q.w); }

const vec3 kAxis = normalize(vec3(2, -1, 2));
const vec3 kAcross = normalize(cross(kAxis, vec3(0, 0, 1)));

TEST(SwingTwist, TwistIsFoundUnderAnySwing) {
  for (int twist = -175; twist <= 175; twist += 25) {
    for (int swing = 0; swing <= 170; swing += 34) {
      const float angle = glm::radians(static_cast<float>(twist));
      const glm::quat q =
          glm::angleAxis(glm::radians(static_cast<float>(swing)), kAcross) * glm::angleAxis(angle, kAxis);
      EXPECT_NEAR(twist_angle(words(q), kAxis), angle, 2e-5) << twist << ' ' << swing;
      EXPECT_NEAR(twist_angle(-words(q), kAxis), angle, 2e-5) << "the same turn";
    }
  }
}

TEST(SwingTwist, WholeTurnsAreNone) {
  EXPECT_NEAR(twist_angle(quaternion_about(kAxis, glm::radians(270.0f)), kAxis), glm::radians(-90.0f), 1e-5);
  EXPECT_NEAR(twist_angle(quaternion_about(kAxis, glm::radians(360.0f)), kAxis), 0, 1e-5);
  EXPECT_NEAR(std::abs(twist_angle(quaternion_about(kAxis, glm::radians(180.0f)), kAxis)), glm::pi<float>(), 1e-5);
}

TEST(SwingTwist, HalfATurnAcrossHasNone) {
  EXPECT_EQ(twist_angle(vec4(0, 1, 0, 0), vec3(1, 0, 0)), 0);
  EXPECT_EQ(twist_angle(vec4(0), vec3(1, 0, 0)), 0);
}

TEST(SwingTwist, HalfATurnTwiceIsTheTurn) {
  for (const float degrees : {0.0f, 30.0f, 120.0f, 179.0f, 200.0f, 350.0f}) {
    const vec4 q = quaternion_about(kAxis, glm::radians(degrees));
    const vec4 half = half_turn(q);
    const vec4 twice = quaternion_product(half, half);
    EXPECT_NEAR(std::abs(dot(twice, q)), 1, 1e-6) << degrees;
    EXPECT_GE(half.w, std::sqrt(0.5f) - 1e-4f) << "by the shorter way";
  }
}

TEST(SwingTwist, PartsOfATurnAreByTheShorterWay) {
  for (const float degrees : {0.0f, 1e-4f, 30.0f, 120.0f, 179.0f, 200.0f, 350.0f}) {
    for (const float part : {0.0f, 0.3f, 0.5f, 1.0f}) {
      const float shorter = degrees > 180 ? degrees - 360 : degrees;
      const vec4 turned = partial_turn(quaternion_about(kAxis, glm::radians(degrees)), part);
      EXPECT_LT(distance(turned, quaternion_about(kAxis, glm::radians(part * shorter))), 1e-6f) << degrees;
    }
  }
}

TEST(SwingTwist, RotatesAndComesBack) {
  const glm::quat q = glm::angleAxis(2.3f, kAxis);
  for (const vec3 v : {vec3(1, 0, 0), vec3(-2, 3, 0.5f), vec3(0)}) {
    EXPECT_LT(distance(quaternion_rotate(words(q), v), q * v), 2e-6f);
    EXPECT_LT(distance(quaternion_rotate(quaternion_conjugate(words(q)), quaternion_rotate(words(q), v)), v), 2e-6f);
  }
}

TEST(SwingTwist, RotationOfAJointForgetsItsScale) {
  const glm::quat q = glm::angleAxis(1.1f, kAxis);
  for (const float scale : {1.0f, 0.01f, 250.0f}) {
    const mat4 joint = glm::mat4_cast(q) * mat4(mat3(scale));
    const PoseWork work{nullptr, &joint, nullptr, nullptr, nullptr};
    EXPECT_NEAR(std::abs(dot(joint_rotation(work, 0), words(q))), 1, 1e-6);
  }
}

}  // namespace
}  // namespace pelt::shared
