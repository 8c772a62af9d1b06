// SPDX-License-Identifier: MIT
#include "engine/model/biped_clips.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <glm/gtc/constants.hpp>
#include <utility>

#include "engine/model/biped_anatomy.h"
#include "engine/model/model_builder.h"
#include "engine/model/pose.h"

namespace pelt {
namespace {

// Degrees added to a joint's rest rotation, in its own frame (y along the bone, z towards the front or, in the feet,
// up): x swings the bone's end towards z, y twists, z swings it sideways, on the left side of the arm outward and up.
// Twist first, then x, then z; in the thighs z before x, since legs are drawn up after they are spread.
using Turn = glm::vec3;

// What a left joint does, done by the right one.
Turn mirrored(const Turn& turn) { return {turn.x, -turn.y, -turn.z}; }

glm::quat rotation_of(std::uint32_t joint, const Turn& turn) {
  const glm::vec3 r = glm::radians(turn);
  const glm::quat x = glm::angleAxis(r.x, glm::vec3(1, 0, 0)), y = glm::angleAxis(r.y, glm::vec3(0, 1, 0)),
                  z = glm::angleAxis(r.z, glm::vec3(0, 0, 1));
  return joint == kLeftThigh || joint == kRightThigh ? x * z * y : z * x * y;
}

struct BodyPose {
  std::array<Turn, kBipedJointCount> turns{};
  glm::vec3 hips_offset{0.0f};  // from rest, metres
};

// Left and right exchanged.
BodyPose mirrored(const BodyPose& pose) {
  BodyPose result;
  for (std::uint32_t j = 0; j < kBipedJointCount; ++j) result.turns[j] = mirrored(pose.turns[j]);
  for (std::uint32_t left = kLeftShoulder; left <= kLeftFoot; ++left) {
    std::swap(result.turns[left], result.turns[mirrored_joint(left)]);
  }
  result.hips_offset = pose.hips_offset * glm::vec3(-1, 1, 1);
  return result;
}

void apply(const Skeleton& skeleton, const BodyPose& pose, std::span<Transform> local) {
  rest_pose(skeleton, local);
  for (std::uint32_t j = 0; j < kBipedJointCount; ++j) {
    local[j].rotation = local[j].rotation * rotation_of(j, pose.turns[j]);
  }
  local[kHips].translation += pose.hips_offset;
}

struct Feet {
  float lowest;           // height of the lowest of heels, balls and toes
  glm::vec3 right_moved;  // displacement of the right ankle from rest
};

Feet feet_in(const Skeleton& skeleton, const BodyPose& pose) {
  std::array<Transform, kBipedJointCount> local;
  std::array<glm::mat4, kBipedJointCount> posed, rest;
  apply(skeleton, pose, local);
  model_matrices(skeleton, local, posed);
  rest_matrices(skeleton, rest);
  Feet feet{1e9f, glm::vec3(posed[kRightFoot][3] - rest[kRightFoot][3])};
  for (float side : {1.0f, -1.0f}) {
    const std::uint32_t foot = side > 0 ? kLeftFoot : kRightFoot;
    const glm::mat4 moved = posed[foot] * glm::inverse(rest[foot]);
    for (const glm::vec3& sole :
         {glm::vec3(0.132f, 0.0f, -0.065f), glm::vec3(0.140f, 0.0f, 0.115f), glm::vec3(0.140f, 0.004f, 0.178f)}) {
      feet.lowest = std::min(feet.lowest, (moved * glm::vec4(side * sole.x, sole.y, sole.z, 1.0f)).y);
    }
  }
  return feet;
}

Clip clip_from_poses(const Skeleton& skeleton, std::string name, float duration, std::uint32_t intervals,
                     const std::function<BodyPose(float)>& pose_at) {
  Clip clip{.name = std::move(name), .duration = duration, .channels = {}};
  for (std::uint32_t j = kHips; j < kBipedJointCount; ++j) {
    add_rotation_channel(clip, j, intervals, [&](float time) {
      return skeleton.joints[j].rest.rotation * rotation_of(j, pose_at(time).turns[j]);
    });
  }
  add_translation_channel(clip, kHips, intervals, [&](float time) {
    return skeleton.joints[kHips].rest.translation + pose_at(time).hips_offset;
  });
  return clip;
}

// Periodic Catmull-Rom curve through eight values over one cycle.
using Cycle = std::array<float, 8>;
float at_phase(const Cycle& cycle, float phase) {
  const float x = 8.0f * (phase - std::floor(phase));
  const int i = static_cast<int>(x) % 8;
  const float t = x - std::floor(x);
  const float a = cycle[(i + 7) % 8], b = cycle[i], c = cycle[(i + 1) % 8], d = cycle[(i + 2) % 8];
  return b + 0.5f * t * (c - a + t * (2.0f * a - 5.0f * b + 4.0f * c - d + t * (3.0f * (b - c) + d - a)));
}

// One cycle of the left leg from heel strike: loading, mid-stance, heel off, toe off, three of swing. Degrees, near the
// curves of gait laboratories.
constexpr Cycle kThighSwing = {25, 19, 7, -7, -15, -6, 15, 27};
constexpr Cycle kKneeBend = {5, 17, 12, 6, 16, 50, 60, 24};
constexpr Cycle kAnkleBend = {0, -2, 5, 12, 5, -16, -3, 3};

BodyPose walk_pose(const Skeleton& skeleton, float phase) {
  BodyPose pose;
  const auto wave = [&](float lead) { return std::sin(glm::two_pi<float>() * (phase + lead)); };
  for (int side = 0; side < 2; ++side) {
    const float p = phase + 0.5f * static_cast<float>(side);
    const auto set = [&](std::uint32_t left, const Turn& turn) {
      pose.turns[side == 0 ? left : mirrored_joint(left)] = side == 0 ? turn : mirrored(turn);
    };
    const float swing = std::cos(glm::two_pi<float>() * p);  // 1: this side's leg is in front
    set(kLeftThigh, {at_phase(kThighSwing, p), 2.0f, -2.0f});
    set(kLeftShin, {-at_phase(kKneeBend, p), 0.0f, 0.0f});
    set(kLeftFoot, {at_phase(kAnkleBend, p), 0.0f, 0.0f});
    // Arms hang and swing against the legs; the elbow bends more in front.
    set(kLeftShoulder, {-3.0f * swing, 0.0f, -5.0f});
    set(kLeftUpperArm, {-21.0f * swing - 4.0f, 18.0f, -31.0f});
    set(kLeftForearm, {24.0f - 13.0f * swing, 12.0f, 0.0f});
    set(kLeftHand, {6.0f - 4.0f * swing, 40.0f, 0.0f});
  }
  // Hips turn with the leg in front and drop on the side of the swinging leg; the chest turns against them.
  pose.turns[kHips] = {3.0f, -5.0f * wave(0.25f), 3.5f * wave(0.0f)};
  pose.turns[kSpine] = {-1.0f, 5.0f * wave(0.25f), -3.0f * wave(0.0f)};
  pose.turns[kChest] = {1.0f, 6.0f * wave(0.25f), -1.5f * wave(0.0f)};
  pose.turns[kNeck] = {-1.0f, -3.0f * wave(0.25f), 0.0f};
  pose.turns[kHead] = {-2.0f, -3.0f * wave(0.25f), 1.0f * wave(0.0f)};
  pose.hips_offset.x = 0.020f * wave(0.0f);
  pose.hips_offset.y = -feet_in(skeleton, pose).lowest;
  return pose;
}

// Both arms bent beside the head with the forearms turned out, one knee drawn up and folded, weight on the other leg.
BodyPose strong_pose() {
  BodyPose pose;
  const auto set_both = [&](std::uint32_t left, const Turn& turn) {
    pose.turns[left] = turn;
    pose.turns[mirrored_joint(left)] = mirrored(turn);
  };
  set_both(kLeftShoulder, {0.0f, 0.0f, 15.0f});
  set_both(kLeftUpperArm, {4.0f, -88.0f, 38.0f});
  set_both(kLeftForearm, {126.0f, 0.0f, 0.0f});
  set_both(kLeftHand, {4.0f, 180.0f, 0.0f});
  pose.turns[kHips] = {-3.0f, 0.0f, 4.0f};
  pose.turns[kSpine] = {1.0f, -3.0f, -4.0f};
  pose.turns[kChest] = {-7.0f, -6.0f, -2.0f};
  pose.turns[kNeck] = {4.0f, 7.0f, 1.0f};
  pose.turns[kHead] = {2.0f, 14.0f, 1.0f};
  pose.turns[kLeftThigh] = {88.0f, 0.0f, 24.0f};
  pose.turns[kLeftShin] = {-127.0f, 0.0f, 0.0f};
  pose.turns[kLeftFoot] = {-30.0f, 0.0f, 0.0f};
  pose.turns[kRightThigh] = {3.0f, 0.0f, 4.0f};
  return pose;
}

BodyPose flex_pose(const Skeleton& skeleton, float time) {
  // Legs lead, arms follow, the twist comes last: so nothing moves like a machine.
  const auto share = [&](float start, float reached, float left, float end) {
    return smooth_step((time - start) / (reached - start)) * (1.0f - smooth_step((time - left) / (end - left)));
  };
  const float body = share(0.05f, 0.90f, 1.65f, 2.35f);
  const float arms = share(0.10f, 0.95f, 1.60f, 2.30f);
  const float twist = share(0.25f, 1.00f, 1.60f, 2.20f);
  const BodyPose full = strong_pose();
  BodyPose pose;
  for (std::uint32_t j = 0; j < kBipedJointCount; ++j) {
    const bool hand = j == kLeftHand || j == kRightHand;
    const bool arm = j == kLeftUpperArm || j == kLeftForearm || j == kRightUpperArm || j == kRightForearm;
    pose.turns[j] = (hand ? twist : arm ? arms : body) * full.turns[j];
  }
  // The body moves over the right foot, which stays where it stands.
  const Feet feet = feet_in(skeleton, pose);
  pose.hips_offset = {-feet.right_moved.x, -feet.lowest, -feet.right_moved.z};
  return pose;
}

}  // namespace

Clip biped_walk(const Skeleton& skeleton) {
  constexpr float kSeconds = 1.1f;
  return clip_from_poses(skeleton, "walk", kSeconds, 32,
                         [&](float time) { return walk_pose(skeleton, time / kSeconds); });
}

Clip biped_flex(const Skeleton& skeleton) {
  constexpr float kSeconds = 2.4f;  // a side
  return clip_from_poses(skeleton, "flex", 2 * kSeconds, 96, [&](float time) {
    return time <= kSeconds ? flex_pose(skeleton, time) : mirrored(flex_pose(skeleton, time - kSeconds));
  });
}

}  // namespace pelt
