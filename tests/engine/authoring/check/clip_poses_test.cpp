// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pelt/builtin.h>
#include <pelt/pose.h>
#include <pelt/tools/clip_poses.h>

#include "tests/support/clip_joints.h"
#include "tests/support/driven.h"

namespace pelt {
namespace {

using test::bound_by;

CharacterData with_clips(const std::vector<float>& durations) {
  CharacterData character;
  for (const float seconds : durations) {
    character.clips.push_back({.name = "clip" + std::to_string(character.clips.size()), .duration = seconds});
  }
  return character;
}

std::vector<float> seconds_of(const std::vector<CheckPose>& poses) {
  std::vector<float> seconds;
  for (const CheckPose& pose : poses) seconds.push_back(pose.seconds);
  return seconds;
}

TEST(ClipPoses, SpreadFramesOverAClip) {
  EXPECT_THAT(seconds_of(clip_poses(with_clips({2.5f}))), testing::ElementsAre(0, 0.5f, 1, 1.5f, 2, 2.5f));
  EXPECT_THAT(seconds_of(clip_poses(with_clips({2.5f}), {.frames = 2})), testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(seconds_of(clip_poses(with_clips({0.5f}), {.frames = 1})), testing::ElementsAre(0));
  // There is at least one frame a second.
  EXPECT_THAT(seconds_of(clip_poses(with_clips({8}))), testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(ClipPoses, LeaveOutShortClipsAndTheLast) {
  const std::vector<CheckPose> poses = clip_poses(with_clips({0, 0.05f, 1, 0.06f, 1}), {.frames = 2, .clips = 2});
  std::vector<std::string> names;
  for (const CheckPose& pose : poses) names.push_back(pose.name);
  EXPECT_THAT(names, testing::ElementsAre("clip2 at 0.00 s", "clip2 at 1.00 s", "clip3 at 0.00 s", "clip3 at 0.06 s"));
  CharacterData blank = with_clips({1});
  blank.clips[0].name = " ";
  EXPECT_EQ(clip_poses(blank).front().name, "clip 0 at 0.00 s");
  EXPECT_EQ(poses.back().clip, 3u);
  EXPECT_EQ(poses.back().frame, 1u);
}

TEST(ClipPoses, AreThinnedEvenly) {
  const CharacterData character = with_clips({2, 0, 7, 0.5f});
  const std::vector<CheckPose> all = clip_poses(character);
  for (std::size_t most = 0; most <= all.size() + 1; ++most) {
    std::vector<std::string> wanted, names;
    const std::size_t kept = std::min(most, all.size());
    for (std::size_t i = 0; i < kept; ++i) {
      const CheckPose& pose = all[i * all.size() / kept];
      wanted.push_back(pose.name + std::to_string(pose.seconds) + std::to_string(*pose.clip));
    }
    for (const CheckPose& pose : clip_poses(character, {.poses = most})) {
      names.push_back(pose.name + std::to_string(pose.seconds) + std::to_string(*pose.clip));
    }
    EXPECT_EQ(names, wanted) << most;
  }
}

TEST(PosePlayer, TurnsAJointAndWhatIsBelow) {
  const Character limb = bound_by(make_limb(), "linear_blend");
  Evaluator evaluator(limb);
  PosePlayer player(*limb);
  const auto extent = [&](const CheckPose& pose) {
    player.pose(pose, evaluator);
    evaluator.evaluate();
    glm::vec3 most(-100);
    for (const glm::vec3& p : evaluator.positions()) most = glm::max(most, p);
    return most;
  };
  glm::vec3 most = extent({.turns = {{.joint = 1, .axis = {0, 0, 1}, .degrees = 90}}});
  // The half beyond the joint at x = 4 points up.
  EXPECT_NEAR(most.x, 5, 1e-4);
  EXPECT_NEAR(most.y, 4, 1e-4);
  most = extent({.turns = {{.joint = 0, .axis = {0, 0, 1}, .degrees = 90}}});
  EXPECT_NEAR(most.y, 8, 1e-4);
  most = extent(
      {.turns = {{.joint = 1, .axis = {0, 0, 1}, .degrees = 90}, {.joint = 0, .axis = {0, 0, 1}, .degrees = 90}}});
  // The first half points up, the second back.
  EXPECT_NEAR(most.x, 1, 1e-4);
  EXPECT_NEAR(most.y, 5, 1e-4);
  // The next pose keeps nothing of it.
  EXPECT_NEAR(extent({}).x, 8, 1e-4);
}

// Inputs tell whole turns; joints do not.
TEST(PosePlayer, PlaysClipsWithTheirTwists) {
  const Character limb = bound_by(make_limb(), "curve_skeleton");
  const auto clip = static_cast<std::uint32_t>(find_clip(limb->clips, "twist") - limb->clips.data());
  const float seconds = 3;  // 270 degrees
  Evaluator evaluator(limb), expected(limb);
  PosePlayer player(*limb);
  player.pose({.clip = clip, .seconds = seconds}, evaluator);
  evaluator.evaluate();

  std::vector<float> inputs(limb->input_count);
  rest_inputs(*limb, inputs);
  const std::vector<float> untwisted = inputs;
  ClipTwists(*limb, limb->clips[clip]).sample(seconds, inputs);
  EXPECT_NE(inputs, untwisted);
  expected.pose(test::clip_joints(limb->skeleton, &limb->clips[clip], seconds));
  expected.inputs(inputs);
  expected.evaluate();
  EXPECT_TRUE(std::equal(evaluator.positions().begin(), evaluator.positions().end(), expected.positions().begin()));
}

}  // namespace
}  // namespace pelt
