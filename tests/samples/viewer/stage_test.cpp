// SPDX-License-Identifier: MIT
#include "samples/viewer/stage.h"

#include <algorithm>

#include <pelt/mos.h>
#include <pelt/runtime/read_back.h>

#include "tests/samples/viewer/stages.h"
#include "tests/support/driven.h"
#include "tests/support/refused.h"
#include "tests/support/swinging.h"

namespace pelt::viewer {
namespace {

using testing::HasSubstr;

using test::gpu_device;

TEST_F(Stages, RefuseClipsAndJointsThatAreNotThere) {
  show("linear_blend");
  view_.playback.clip = "wlak";
  EXPECT_TRUE(test::refused(stage_->pose(view_), "did you mean 'walk'"));
  view_.playback.clip.clear();
  view_.turns = {{"no_such_joint", glm::quat(1, 0, 0, 0)}};
  EXPECT_TRUE(test::refused(stage_->pose(view_), "no_such_joint"));
}

// The joint matrices are the same; only the twist control differs.
TEST_F(Stages, TellWholeTurnsFromNone) {
  const Actor& actor = show("curve_skeleton");
  const CharacterData& data = *actor.character;
  const auto control = std::ranges::find(data.controls, ControlKind::kTwist, &Control::kind);
  ASSERT_NE(control, data.controls.end());
  const std::string joint = data.skeleton.joints[control->target].name;
  pose();
  EXPECT_EQ(actor.pose.inputs[control->input], 0);
  // The bone's axis is the one for which the control has the greatest turn.
  float most = 0;
  for (const glm::vec3 axis : {glm::vec3(1, 0, 0), glm::vec3(0, 1, 0), glm::vec3(0, 0, 1)}) {
    view_.turns = {{joint, glm::angleAxis(glm::radians(340.0f), axis)}};
    pose();
    most = std::max(most, std::abs(actor.pose.inputs[control->input]));
  }
  EXPECT_GT(most, glm::radians(300.0f));
}

// Masses swing as the clip plays, also round its loop, and start at rest when its time jumps.
TEST_F(Stages, SwingWithTheClip) {
  CharacterData data = *test::swinging_tube();
  data.clips.push_back({.name = "sway",
                        .duration = 1,
                        .channels = {{.times = {0, 0.5f, 1}, .values = {0, 0, 0, 0, 0, 0.4f, 0, 0, 0}}},
                        .morph_channels = {}});
  const Actor& actor = show(Bound{.character = test::must(Character::create(std::move(data))), .report = {}});
  view_.playback = {.clip = "sway", .playing = true};
  // Returns the distances of the skin, on the device and on the CPU, from its positions without masses.
  const auto swing = [&](float time) {
    view_.playback.time = time;
    pose();
    const shared::ListEntry entry{0, actor.restart ? shared::kEntryTeleport : 0};
    EXPECT_TRUE(runtime::run(*gpu_device(), stage_->find("rig")->crowd, std::span(&entry, 1)));
    const auto vertices = test::must(runtime::read_vertices(*gpu_device(), actor.crowd, 0));
    const Evaluator& evaluated = stage_->evaluated(actor);
    EXPECT_LT(test::farthest(vertices.positions, evaluated.positions()), 1e-4f) << time;
    Evaluator still(actor.character);
    still.pose(actor.pose.joints);
    still.evaluate();
    return test::farthest(vertices.positions, still.positions());
  };
  EXPECT_LT(swing(0), 1e-5f);
  for (int frame = 1; frame <= 60; ++frame) swing(static_cast<float>(frame) / 61);
  EXPECT_GT(swing(0.01f), 1e-2f) << "round the loop";
  EXPECT_LT(swing(0.4f), 1e-5f) << "after a jump";
  for (int frame = 1; frame <= 12; ++frame) swing(0.4f + static_cast<float>(frame) / 60);
  EXPECT_GT(swing(0.62f), 1e-2f);
  view_.playback.playing = false;
  EXPECT_GT(swing(0.62f), 1e-2f) << "a clip that stands still keeps what is seen";
  EXPECT_LT(swing(0.3f), 1e-5f) << "after a jump back";
}

TEST_F(Stages, AdvanceInALoopOrToTheEnd) {
  show("linear_blend");
  view_.playback = {.clip = "walk", .time = 0, .speed = 1, .loop = true, .playing = false};
  stage_->advance(view_, 0.1);
  EXPECT_EQ(view_.playback.time, 0);
  view_.playback.playing = true;
  const float duration = stage_->duration(view_);
  ASSERT_GT(duration, 0.2f);
  stage_->advance(view_, duration + 0.1);
  EXPECT_NEAR(view_.playback.time, 0.1f, 1e-5f);
  view_.playback.speed = -1;
  stage_->advance(view_, 0.2);
  EXPECT_NEAR(view_.playback.time, duration - 0.1f, 1e-5f);
  view_.playback.speed = 2;
  view_.playback.loop = false;
  stage_->advance(view_, 0.02);
  EXPECT_TRUE(view_.playback.playing);
  stage_->advance(view_, 1.0);
  EXPECT_EQ(view_.playback.time, duration);
  EXPECT_FALSE(view_.playback.playing);
}

TEST_F(Stages, HoldEveryPoseOfTheClipInTheirBounds) {
  const Actor& actor = show("surface_ffd");
  view_.playback.clip = "walk";
  const auto poser = test::must(samples::Poser::create(actor.character, {.clip = "walk", .caches = {}}));
  for (const float time : {0.0f, 0.13f, 0.57f, 0.9f}) {
    view_.playback.time = time;
    pose();
    EXPECT_EQ(actor.pose.joints, poser.at(time).joints);
    const samples::Bounds bounds = whole(stage_->boxes(view_));
    const samples::Bounds now = samples::posed_bounds(actor.character, actor.pose);
    EXPECT_TRUE(glm::all(glm::lessThanEqual(bounds.low, now.low)) &&
                glm::all(glm::greaterThanEqual(bounds.high, now.high)))
        << time;
  }
}

}  // namespace
}  // namespace pelt::viewer
