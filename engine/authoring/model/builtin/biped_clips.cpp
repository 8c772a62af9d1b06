// SPDX-License-Identifier: MIT
#include "engine/authoring/model/builtin/biped_clips.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <glm/gtc/constants.hpp>
#include <utility>

#include <pelt/pose.h>

#include "engine/authoring/model/builtin/biped_anatomy.h"
#include "engine/authoring/model/builtin/model_builder.h"

namespace pelt {
namespace {

// Degrees added to a joint's rest rotation, in its own frame (y along the bone, z towards the front or, in the feet,
// up): x swings the bone's end towards z, y twists, z swings it sideways, on the left side of the arm outward and up.
// Twist first, then x, then z; in the thighs z before x, since legs are drawn up after they are spread.
using Turn = glm::vec3;

// The turn with which the right joint mirrors a left joint's `turn`.
Turn mirrored(const Turn& turn) { return {turn.x, -turn.y, -turn.z}; }

glm::quat rotation_of(std::uint32_t joint, const Turn& turn) {
  const glm::vec3 r = glm::radians(turn);
  const glm::quat x = glm::angleAxis(r.x, glm::vec3(1, 0, 0)), y = glm::angleAxis(r.y, glm::vec3(0, 1, 0)),
                  z = glm::angleAxis(r.z, glm::vec3(0, 0, 1));
  return joint == kLeftThigh || joint == kRightThigh ? x * z * y : z * x * y;
}

struct BodyPose {
  std::array<Turn, kBipedJointCount> turns{};
  glm::vec3 hips_offset{0.0f};  // from the rest pose, metres
};

// Returns the pose with left and right exchanged.
BodyPose mirrored(const BodyPose& pose) {
  BodyPose result;
  for (std::uint32_t j = 0; j < kBipedJointCount; ++j) result.turns[j] = mirrored(pose.turns[j]);
  for (std::uint32_t j = 0; j < kBipedJointCount; ++j) {
    if (is_left(j)) std::swap(result.turns[j], result.turns[mirrored_joint(j)]);
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
  float lowest;          // height of the lowest of heels, balls and toes
  glm::vec3 left_moved;  // displacement of the ankle from the rest pose
  glm::vec3 right_moved;
};

Feet feet_in(const Skeleton& skeleton, const BodyPose& pose) {
  std::array<Transform, kBipedJointCount> local;
  std::array<glm::mat4, kBipedJointCount> posed, rest;
  apply(skeleton, pose, local);
  model_matrices(skeleton, local, posed);
  rest_matrices(skeleton, rest);
  const auto moved_from_rest = [&](std::uint32_t joint) { return glm::vec3(posed[joint][3] - rest[joint][3]); };
  Feet feet{1e9f, moved_from_rest(kLeftFoot), moved_from_rest(kRightFoot)};
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

// Makes a clip with keys at even times, for joints that move or are not in their rest pose.
Clip clip_from_poses(const Skeleton& skeleton, std::string name, float duration, std::uint32_t intervals,
                     const std::function<BodyPose(float)>& pose_at) {
  std::vector<BodyPose> poses;
  for (std::uint32_t i = 0; i <= intervals; ++i) {
    poses.push_back(pose_at(duration * static_cast<float>(i) / static_cast<float>(intervals)));
  }
  const auto at = [&](float time) -> const BodyPose& {
    return poses[static_cast<std::size_t>(std::lround(time / duration * static_cast<float>(intervals)))];
  };
  Clip clip{.name = std::move(name), .duration = duration, .channels = {}};
  for (std::uint32_t j = kHips; j < kBipedJointCount; ++j) {
    if (std::ranges::all_of(poses, [&](const BodyPose& pose) { return pose.turns[j] == Turn(0.0f); })) continue;
    add_rotation_channel(clip, j, intervals, [&](float time) {
      return skeleton.joints[j].rest.rotation * rotation_of(j, at(time).turns[j]);
    });
  }
  if (std::ranges::any_of(poses, [](const BodyPose& pose) { return glm::length(pose.hips_offset) > 1e-5f; })) {
    add_translation_channel(clip, kHips, intervals,
                            [&](float time) { return skeleton.joints[kHips].rest.translation + at(time).hips_offset; });
  }
  return clip;
}

// Relaxes the hands: bends the fingers a little, more at their middle joints.
void relax_fingers(BodyPose& pose) {
  for (std::uint32_t left = kLeftIndex; left < kRightEye; ++left) {
    constexpr std::array<float, 3> kBends = {4.0f, 12.0f, 9.0f};
    pose.turns[left].x = pose.turns[mirrored_joint(left)].x = kBends[(left - kLeftIndex) % 3];
  }
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

// One cycle of the left leg from heel strike: loading, mid-stance, heel off, toe off, three of swing. Degrees, close to
// the curves that gait laboratories measure.
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
  relax_fingers(pose);
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
  // The legs lead, the arms follow, and the twist comes last, so that the motion is not mechanical.
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
  relax_fingers(pose);
  // The body moves over the right foot, which stays in place.
  const Feet feet = feet_in(skeleton, pose);
  pose.hips_offset = {-feet.right_moved.x, -feet.lowest, -feet.right_moved.z};
  return pose;
}

// --------------------------------------------------------------------------------------------------- clips from keys

struct JointTurn {
  std::uint32_t joint;
  Turn turn;
};

// The pose at a time: the differences from the rest pose.
struct Key {
  float seconds;
  std::vector<JointTurn> both;      // turns of left joints, which the right side mirrors
  std::vector<JointTurn> one = {};  // turns of single joints, added to those
};

BodyPose pose_of(const Key& key) {
  BodyPose pose;
  for (const auto& [joint, turn] : key.both) {
    pose.turns[mirrored_joint(joint)] = mirrored(turn);
    pose.turns[joint] = turn;
  }
  for (const auto& [joint, turn] : key.one) pose.turns[joint] += turn;
  return pose;
}

// Makes a clip that goes from key to key, pauses a moment at each, and keeps the feet in place.
Clip clip_from_keys(const Skeleton& skeleton, std::string name, const std::vector<Key>& keys) {
  constexpr float kIntervalsPerSecond = 30.0f;
  const float duration = keys.back().seconds;
  const auto intervals = static_cast<std::uint32_t>(std::lround(duration * kIntervalsPerSecond));
  return clip_from_poses(skeleton, std::move(name), duration, intervals, [&](float time) {
    std::size_t next = 1;
    while (next + 1 < keys.size() && keys[next].seconds < time) ++next;
    const Key &a = keys[next - 1], &b = keys[next];
    const float share = smooth_step((time - a.seconds) / (b.seconds - a.seconds));
    const BodyPose from = pose_of(a), to = pose_of(b);
    BodyPose pose;
    for (std::uint32_t j = 0; j < kBipedJointCount; ++j) pose.turns[j] = glm::mix(from.turns[j], to.turns[j], share);
    const Feet feet = feet_in(skeleton, pose);
    const glm::vec3 moved = 0.5f * (feet.left_moved + feet.right_moved);
    pose.hips_offset = {-moved.x, -feet.lowest, -moved.z};
    return pose;
  });
}

// Bends one finger of each hand after the other, from the thumb on.
std::vector<Key> finger_keys() {
  constexpr float kSeconds = 0.56f;  // for each finger
  std::vector<Key> keys{{0.0f, {}}};
  for (std::uint32_t f = 0; f < kFingers; ++f) {
    const std::uint32_t joint = kLeftThumb + 3 * f;
    const std::array<float, 3> bends = f == 0 ? std::array{15.0f, 40.0f, 70.0f} : std::array{72.0f, 88.0f, 70.0f};
    const float start = kSeconds * static_cast<float>(f);
    keys.push_back({start + 0.5f * kSeconds,
                    {{joint, {bends[0], 0, 0}}, {joint + 1, {bends[1], 0, 0}}, {joint + 2, {bends[2], 0, 0}}}});
    keys.push_back({start + kSeconds, {}});
  }
  return keys;
}

std::vector<JointTurn> closed_lids() {
  constexpr float kOverlap = 4.0f;  // degrees; the rims are round
  const LidRims rims = lid_rims(0.0f);
  return {{kLeftUpperLid, {-glm::degrees(rims.upper - rims.closed) - kOverlap, 0, 0}},
          {kLeftLowerLid, {glm::degrees(rims.closed - rims.lower) + kOverlap, 0, 0}}};
}

struct KeyedClip {
  const char* name;
  std::vector<Key> keys;
};

std::vector<KeyedClip> keyed_clips() {
  const std::vector<JointTurn> open_mouth{{kJaw, {-25, 0, 0}}};
  const std::vector<JointTurn> shrugged{
      {kLeftShoulder, {2, 0, 20}}, {kLeftUpperArm, {0, 0, -16}}, {kLeftForearm, {28, 0, 0}}, {kHead, {3, 0, 0}}};
  const std::vector<JointTurn> raised{{kLeftShoulder, {-4, 0, 26}},
                                      {kLeftUpperArm, {0, -40, 104}},
                                      {kLeftForearm, {8, 0, 0}},
                                      {kChest, {-4, 0, 0}},
                                      {kHead, {-6, 0, 0}}};
  const std::vector<JointTurn> squatting{
      {kHips, {24, 0, 0}},           {kSpine, {8, 0, 0}},       {kChest, {-6, 0, 0}},      {kNeck, {-10, 0, 0}},
      {kHead, {-8, 0, 0}},           {kLeftThigh, {98, 0, 2}},  {kLeftShin, {-105, 0, 0}}, {kLeftFoot, {31, -4, 0}},
      {kLeftUpperArm, {66, 30, -8}}, {kLeftForearm, {18, 0, 0}}};
  const std::vector<JointTurn> reaching{
      {kSpine, {6, -10, 0}},       {kChest, {4, -15, 0}},          {kNeck, {-2, 10, 0}},
      {kHead, {-6, 10, 0}},        {kLeftShoulder, {18, 0, 4}},    {kLeftUpperArm, {84, 10, 0}},
      {kLeftForearm, {10, 20, 0}}, {kRightUpperArm, {-24, 0, 18}}, {kRightForearm, {30, 0, 0}}};
  return {{"fingers", finger_keys()},
          {"mouth", {{0.0f, {}}, {0.7f, open_mouth}, {1.0f, open_mouth}, {1.6f, {}}}},
          {"blink", {{0.0f, {}}, {0.4f, closed_lids()}, {0.6f, closed_lids()}, {1.0f, {}}}},
          {"nod",
           {{0.0f, {}},
            {0.6f, {{kNeck, {12, 0, 0}}, {kHead, {18, 0, 0}}}},
            {1.2f, {{kNeck, {-8, 0, 0}}, {kHead, {-10, 0, 0}}}},
            {1.8f, {}}}},
          {"shrug", {{0.0f, {}}, {0.6f, shrugged}, {0.9f, shrugged}, {1.6f, {}}}},
          {"raise", {{0.0f, {}}, {1.0f, raised}, {1.4f, raised}, {2.4f, {}}}},
          {"squat", {{0.0f, {}}, {1.1f, squatting}, {1.5f, squatting}, {2.6f, {}}}},
          {"reach", {{0.0f, {}}, {0.9f, {}, reaching}, {1.3f, {}, reaching}, {2.2f, {}}}}};
}

// Walks in place, one cycle.
Clip walk(const Skeleton& skeleton) {
  constexpr float kSeconds = 1.1f;
  return clip_from_poses(skeleton, "walk", kSeconds, 32,
                         [&](float time) { return walk_pose(skeleton, time / kSeconds); });
}

// Rest pose, then a show of strength on the right leg, reached at 1.0 s and held to 1.6 s, rest pose at 2.4 s; the same
// on the left leg 2.4 s later.
Clip flex(const Skeleton& skeleton) {
  constexpr float kSeconds = 2.4f;  // for each side
  return clip_from_poses(skeleton, "flex", 2 * kSeconds, 96, [&](float time) {
    return time <= kSeconds ? flex_pose(skeleton, time) : mirrored(flex_pose(skeleton, time - kSeconds));
  });
}

}  // namespace

std::vector<Clip> biped_clips(const Skeleton& skeleton) {
  std::vector<Clip> clips{walk(skeleton), flex(skeleton)};
  for (const auto& [name, keys] : keyed_clips()) clips.push_back(clip_from_keys(skeleton, name, keys));
  return clips;
}

}  // namespace pelt
