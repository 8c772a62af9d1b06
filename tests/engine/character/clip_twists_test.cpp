// SPDX-License-Identifier: MIT
// Twists beyond half a turn are found by following the clip.
#include <gtest/gtest.h>

#include <algorithm>
#include <glm/gtc/quaternion.hpp>
#include <utility>
#include <vector>

#include <pelt/builtin.h>
#include <pelt/clip_twists.h>
#include <pelt/pose.h>

#include "engine/authoring/model/builtin/model_builder.h"
#include "tests/engine/character/largest_allocation.h"
#include "tests/support/driven.h"

namespace pelt {
namespace {

constexpr glm::vec3 kAlong(1, 0, 0);
constexpr std::uint32_t kRoot = 0;
constexpr std::uint32_t kJoint = 1;

Character bound_limb(const char* deformer) { return test::bound_by(make_limb(), deformer); }

const Character& limb() {
  static const Character character = bound_limb("curve_skeleton");
  return character;
}

// Makes keys of turns about the limb's axis, one per second, in degrees.
Channel turns(std::uint32_t joint, const std::vector<float>& degrees, Interpolation interpolation) {
  Channel channel{.joint = joint, .path = ChannelPath::kRotation, .interpolation = interpolation};
  for (std::size_t k = 0; k < degrees.size(); ++k) {
    channel.times.push_back(static_cast<float>(k));
    const glm::quat q = glm::angleAxis(glm::radians(degrees[k]), kAlong);
    channel.values.insert(channel.values.end(), {q.x, q.y, q.z, q.w});
  }
  return channel;
}

Clip clip_of(std::vector<Channel> channels) {
  Clip clip{.name = "turns"};
  for (const Channel& channel : channels) clip.duration = std::max(clip.duration, channel.times.back());
  clip.channels = std::move(channels);
  return clip;
}

Clip clip_of(const std::vector<float>& degrees, Interpolation interpolation = Interpolation::kLinear) {
  return clip_of({turns(kJoint, degrees, interpolation)});
}

// Returns the input of a joint at a time, degrees.
float told(const Character& character, const ClipTwists& twists, float time, const char* control = "twist/joint") {
  std::vector<float> inputs = test::inputs_at_rest(*character);
  twists.sample(time, inputs);
  return glm::degrees(inputs[character->controls[character->find_control(control).value()].input]);
}

float told(const ClipTwists& twists, float time) { return told(limb(), twists, time); }

float told(const Clip& clip, float time) { return told(ClipTwists(*limb(), clip), time); }

TEST(ClipTwists, FollowsTheKeysRoundAndRound) {
  const ClipTwists forth(*limb(), clip_of({0, 90, 180, 270, 360, 450}));
  const ClipTwists back(*limb(), clip_of({0, -90, -180, -270, -360, -450}));
  for (const float time : {0.0f, 0.25f, 1.0f, 1.99f, 2.0f, 2.5f, 3.0f, 4.75f, 5.0f}) {
    EXPECT_NEAR(told(forth, time), 90 * time, 0.01f) << time;
    EXPECT_NEAR(told(back, time), -90 * time, 0.01f) << time;
  }
  // Times beyond the clip are clamped to its ends.
  EXPECT_NEAR(told(forth, -1), 0, 0.01f);
  EXPECT_NEAR(told(forth, 9), 450, 0.01f);
}

TEST(ClipTwists, GoesTheShortWayFromKeyToKey) {
  EXPECT_NEAR(told(clip_of({0, 170, 340}), 2), 340, 0.01f);
  EXPECT_NEAR(told(clip_of({0, 100, 200, 10}), 3), 370, 0.01f);
  EXPECT_NEAR(told(clip_of({270, 180, 90}), 0), -90, 0.01f);  // the first key is within half a turn
  EXPECT_NEAR(told(clip_of({270, 180, 90}), 2), -270, 0.01f);
  EXPECT_NEAR(told(clip_of({160, 190}), 1), 190, 0.01f);
  EXPECT_NEAR(told(clip_of({0, 120, 240}, Interpolation::kStep), 2), 240, 0.01f);
}

TEST(ClipTwists, CountsAgainstTheJointBefore) {
  const std::vector<float> round{0, 90, 180, 270};
  EXPECT_EQ(told(clip_of({turns(kRoot, round, Interpolation::kLinear)}), 3), 0);
  const Clip both =
      clip_of({turns(kRoot, round, Interpolation::kLinear), turns(kJoint, round, Interpolation::kLinear)});
  EXPECT_NEAR(told(both, 3), 270, 0.01f);
}

// A joint that is scaled to nothing keeps its rotation, and those below it, which have its size, keep theirs.
TEST(ClipTwists, CountsThoseOfHiddenJoints) {
  const Character chain = test::bound_by(test::make_tube({.joints = 4}), "curve_skeleton");
  Clip clip = clip_of({turns(3, {0, 90, 180, 270}, Interpolation::kLinear)});
  clip.channels.push_back({.joint = 2, .path = ChannelPath::kScale, .times = {0}, .values = {0, 0, 0}});
  const ClipTwists twists(*chain, clip);
  EXPECT_EQ(told(chain, twists, 3, "twist/joint2"), 0);
  EXPECT_NEAR(told(chain, twists, 3, "twist/joint3"), 270, 0.01f);
}

// Keys of its channels lie at times of their own, and all joints but the first are hidden: playing every key and
// looking for the visible joint above each anchor would take minutes.
TEST(ClipTwists, OfVeryManyKeysAreBounded) {
  constexpr std::uint32_t kJoints = 100;
  const Character chain = test::bound_by(test::make_tube({.joints = kJoints}), "curve_skeleton");
  std::vector<Channel> channels{{.joint = 1, .path = ChannelPath::kScale, .times = {0}, .values = {0, 0, 0}}};
  for (std::uint32_t j = 1; j < kJoints; ++j) {
    Channel& channel = channels.emplace_back(Channel{.joint = j, .path = ChannelPath::kRotation});
    for (int k = 0; k < 4000; ++k) {
      channel.times.push_back(static_cast<float>(k) + static_cast<float>(j) / kJoints);
      channel.values.insert(channel.values.end(), {0, 0, 0, 1});
    }
  }
  const ClipTwists twists(*chain, clip_of(channels));
  std::vector<float> inputs(chain->input_count, 1.0f);
  twists.sample(1000, inputs);
  for (const Control& control : chain->controls) EXPECT_EQ(inputs[control.input], 0) << control.name;
}

// Bends of any size are no twists; a bent joint twists about its own bone.
TEST(ClipTwists, LeavesBendsAlone) {
  Clip clip{.name = "both", .duration = 4};
  add_rotation_channel(clip, kJoint, 32, [](float time) {
    return glm::angleAxis(0.25f * time, glm::vec3(0, 0, 1)) * glm::angleAxis(glm::radians(90 * time), kAlong);
  });
  EXPECT_NEAR(told(clip, 4), 360, 0.1f);
  for (const Clip& one : limb()->clips) {
    const ClipTwists twists(*limb(), one);
    for (float time = 0; time <= one.duration; time += 0.1f) {
      const float expected = one.name == "twist" ? 90 * time : 0;
      EXPECT_NEAR(told(twists, time), expected, 0.01f) << one.name << " " << time;
    }
  }
}

TEST(ClipTwists, LeavesOtherInputsAlone) {
  const Character plain = bound_limb("linear_blend");
  ASSERT_EQ(plain->input_count, 0u);
  ClipTwists(*plain, plain->clips.front()).sample(1, {});

  CharacterData data = *limb();
  data.controls.push_back({ControlKind::kTwist, "twist/unused", "", kRoot, 0.0f, data.input_count++});
  data.controls.push_back({ControlKind::kMorphTarget, "cage/bulge", "cage", 0, 0.0f, data.input_count++});
  std::vector<float> inputs(data.input_count, 7.0f);
  ClipTwists(data, clip_of({0, 90, 180, 270})).sample(3, inputs);
  EXPECT_EQ(inputs[data.input_count - 2], 0.0f);
  EXPECT_EQ(inputs[data.input_count - 1], 7.0f);
}

TEST(SampleMorphTargets, WritesWhatTheClipKeys) {
  CharacterData data = *limb();
  const std::uint32_t twist = data.input_count - 1;
  const auto add = [&](const char* mesh, std::uint32_t target) {
    data.controls.push_back({ControlKind::kMorphTarget, "", mesh, target, 0.0f, data.input_count});
    return data.input_count++;
  };
  const std::uint32_t keyed = add("cage", 1);
  const std::uint32_t other_target = add("cage", 0);
  const std::uint32_t other_mesh = add("face", 1);
  Clip clip;
  clip.morph_channels = {{.mesh = "cage", .target = 1, .times = {1, 3}, .values = {0.5f, 1.5f}},
                         {.mesh = "gone", .target = 1, .times = {0}, .values = {9}}};
  std::vector<float> inputs(data.input_count, 7.0f);
  test::forget_allocations();
  for (const auto& [time, weight] : {std::pair(0.0f, 0.5f), {1.5f, 0.75f}, {4.0f, 1.5f}}) {
    sample_morph_targets(data, clip, time, inputs);
    EXPECT_EQ(inputs[keyed], weight) << time;
  }
  EXPECT_EQ(test::largest_allocation(), 0u);
  for (const std::uint32_t untouched : {twist, other_target, other_mesh}) EXPECT_EQ(inputs[untouched], 7.0f);
}

TEST(ClipTwists, AllocatesOnlyAtLoad) {
  const ClipTwists twists(*limb(), clip_of({0, 90, 180, 270}));
  std::vector<float> inputs(limb()->input_count);
  test::forget_allocations();
  twists.sample(1.5f, inputs);
  EXPECT_EQ(test::largest_allocation(), 0u);
}

}  // namespace
}  // namespace pelt
