// SPDX-License-Identifier: MIT
// Tests secondary action in crowds: against the CPU over many frames, and for instances that skip frames.
#include <vector>

#include <pelt/evaluate.h>
#include <pelt/runtime/buffer.h>
#include <pelt/shaders/crowd_table.h>

#include "shaders/hierarchical_bspline/action_pose.h"
#include "tests/runtime/callers_buffer.h"
#include "tests/runtime/crowds.h"
#include "tests/support/swinging.h"

namespace pelt::runtime {
namespace {

using test::dancing_joints;
using test::gpu_device;

// The masses are damped: rounding that differs between CPU and GPU dies away and does not add up. Tolerance, relative
// to the size of the character, over any number of frames.
constexpr float kSwingTolerance = 2e-5f;
constexpr std::uint32_t kFrames = 600;

class SwingingCrowds : public Crowds {
 protected:
  void SetUp() override {
    Crowds::SetUp();
    gpu_.emplace(upload_character(character_));
  }

  static const Character& swinging() {
    static const Character character = test::swinging_tube();
    return character;
  }
  static float seconds_of(std::uint32_t frame) { return (frame % 5 == 0 ? 1.5f : 0.9f) / 60; }
  static double phase_of(std::uint32_t instance) { return 0.7 * instance; }

  float off(const Crowd& crowd, std::uint32_t instance, const Evaluator& evaluator) {
    return test::farthest(positions(crowd, instance), evaluator.positions()) / character_.size();
  }

  Character character_ = swinging();
  std::optional<GpuCharacters> gpu_;
};

// Each instance, and an evaluator that is posed in the frames in which it should be moved: one in every frame, one in
// every third, one that is hidden for a while and teleported later, one that is moved just too seldom to swing, one
// that is moved by linear blend for a while and teleported meanwhile.
TEST_F(SwingingCrowds, AgreeWithTheCpuOverManyFrames) {
  constexpr std::uint32_t kInstances = 5;
  constexpr std::uint32_t kSeldom = 18;  // frames: 72 to 75 steps of the action, just more than it goes on over
  Crowd crowd = make_crowd(*gpu_, {.instances = {kInstances}});
  CrowdLists lists(crowd.instance_count());
  lists.update_every(1, 3);
  lists.update_every(3, kSeldom);
  std::vector<Evaluator> evaluators;
  for (std::uint32_t i = 0; i < kInstances; ++i) evaluators.emplace_back(character_);
  double time = 0;
  float swings = 0;
  for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
    const float seconds = seconds_of(frame);
    time += double{seconds};
    crowd.advance(seconds);
    if (frame == 100) lists.show(2, false);
    if (frame == 110) {
      lists.show(2, true);
      evaluators[2].teleport();
    }
    if (frame == 310) {
      lists.teleport(2);
      evaluators[2].teleport();
    }
    if (frame == 210 || frame == 215) {
      const Detail detail = frame == 210 ? Detail::kLinearBlend : Detail::kFull;
      lists.detail(4, detail);
      evaluators[4].set_detail(detail);
    }
    if (frame == 213) {
      lists.teleport(4);
      evaluators[4].teleport();
    }
    for (std::uint32_t i = 0; i < kInstances; ++i) {
      const std::vector<glm::mat4> joints = dancing_joints(time + phase_of(i));
      crowd.pose(i, joints);
      evaluators[i].advance(seconds);
      const std::uint32_t period = i == 1 ? 3 : i == 3 ? kSeldom : 1;
      const bool hidden = i == 2 && frame >= 100 && frame < 110;
      if (hidden || (frame > 0 && (frame + i) % period != 0)) continue;
      evaluators[i].pose(joints);
      evaluators[i].evaluate();
    }
    ASSERT_TRUE(run(*gpu_device(), crowd, lists.next()));
    if (frame % 25 != 11 && frame != 215) continue;
    for (std::uint32_t i = 0; i < kInstances; ++i) {
      if (i == 4 && frame == 211) continue;  // the control meshes are as they were
      ASSERT_LE(off(crowd, i, evaluators[i]), kSwingTolerance) << "instance " << i << " in frame " << frame;
    }
    Evaluator still(character_);
    still.pose(dancing_joints(time + phase_of(0)));
    still.evaluate();
    swings = std::max(swings, off(crowd, 0, still));
  }
  EXPECT_GT(swings, 0.01f) << "they swing";
}

// Tests that inputs which name the clock do not stop it, nor set it.
TEST_F(SwingingCrowds, KeepTheirTimeWhateverInputsSay) {
  Crowd crowd = make_crowd(*gpu_, {.instances = {2}});
  const std::vector<float> inputs(character_->input_count, 12345.0f);
  for (std::uint32_t frame = 0; frame < 20; ++frame) {
    crowd.advance(1.0f / 60);
    for (std::uint32_t i = 0; i < 2; ++i) crowd.pose(i, dancing_joints(frame / 60.0));
    crowd.inputs(1, inputs);
    ASSERT_TRUE(run(*gpu_device(), crowd));
  }
  EXPECT_EQ(positions(crowd, 0), positions(crowd, 1));
}

// Tests lists and inputs of the caller's. The first list does not say that its instance is moved for the first time.
TEST_F(SwingingCrowds, TakeListsAndInputsOfTheCallers) {
  const VkDeviceSize offset = 4 * gpu_device()->limits().minStorageBufferOffsetAlignment;
  const Buffer inputs = callers_buffer(offset + character_->input_count * sizeof(float));
  const Buffer visible = callers_buffer(3 * sizeof(std::uint32_t));
  Crowd crowd = make_crowd(
      *gpu_, {.instances = {1}, .frames_in_flight = 1, .inputs = rest_of(inputs, offset), .list = rest_of(visible)});
  Evaluator evaluator(character_);
  std::vector<float> values(character_->input_count);
  for (std::uint32_t frame = 0; frame < 40; ++frame) {
    const std::uint32_t state = frame == 20 ? shared::kEntryRestart : frame == 30 ? shared::kEntryTeleport : 0;
    const std::uint32_t list[] = {1, 0, state};
    fill(visible, list);
    crowd.advance(1.0f / 60);
    evaluator.advance(1.0f / 60);
    rest_inputs(*character_, values);
    values[character_->clock_input().value()] = crowd.clock();
    fill(inputs, values, offset);
    const std::vector<glm::mat4> joints = dancing_joints(frame / 60.0);
    crowd.pose(0, joints);
    if (state != 0) evaluator.teleport();
    evaluator.pose(joints);
    evaluator.evaluate();
    ASSERT_TRUE(run(*gpu_device(), crowd));
    ASSERT_LE(off(crowd, 0, evaluator), kSwingTolerance) << "frame " << frame;
  }
}

}  // namespace
}  // namespace pelt::runtime
