// SPDX-License-Identifier: MIT
// Tests that entries which are posed several at once, with every instruction set of this machine, are those that are
// posed one by one.
#include "engine/character/evaluate/lane_kernels.h"

#include <gtest/gtest.h>

#include <glm/gtc/matrix_transform.hpp>
#include <glm/gtc/quaternion.hpp>
#include <set>
#include <span>
#include <vector>

#include <pelt/evaluate.h>
#include <pelt/pose.h>
#include <pelt/tools/inspect.h>

#include "tests/engine/character/evaluate/every_target.h"
#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

// Returns poses that bend, twist and stretch; in the last six a joint is flattened or scaled to nothing.
std::vector<std::vector<glm::mat4>> hard_poses(const Skeleton& skeleton) {
  std::vector<std::vector<glm::mat4>> poses;
  for (const glm::vec3 scale : {glm::vec3(1), {1.3f, 0.8f, 1}, {1, 0, 1}, glm::vec3(0)}) {
    for (const float angle : {0.0f, 0.7f, 2.4f}) {
      std::vector<Transform> local(skeleton.joints.size());
      rest_pose(skeleton, local);
      for (std::size_t j = 0; j < local.size(); ++j) {
        const glm::vec3 axis = glm::normalize(glm::vec3(0.2f * static_cast<float>(j), 0.3f, 1));
        local[j].rotation = local[j].rotation * glm::angleAxis(angle, axis);
      }
      std::vector<glm::mat4>& joints = poses.emplace_back(local.size());
      model_matrices(skeleton, local, joints);
      joints[joints.size() / 2] = glm::scale(joints[joints.size() / 2], scale);
    }
  }
  return poses;
}

bool has_lanes(const PalettePass& pass) { return &pose_on_cpu(pass.kernel, false) != &pose_on_cpu(pass.kernel, true); }

void expect_equal_entries(const PalettePass& pass, std::span<const Affine> actual, std::span<const Affine> expected) {
  const std::size_t entries = std::size_t{pass.record_count} * entries_per_record(pass.kernel);
  for (std::size_t i = pass.first_entry; i < pass.first_entry + entries; ++i) {
    for (int row = 0; row < 3; ++row) {
      ASSERT_LT(glm::distance(actual[i][row], expected[i][row]), 2e-5f * (1 + glm::length(expected[i][row])))
          << "entry " << i << ", row " << row;
    }
  }
}

class LaneKernels : public EveryTarget {};

Character bound_tube(const test::Deformer& deformer) {
  const test::Subject subject = test::make_subject(deformer, test::TubeOptions{.around = 12, .along = 33, .joints = 4},
                                                   {.around = 8, .along = 24, .radius = 1.1f, .joints = 4});
  return test::bound(subject.model, subject.rig).character;
}

TEST_P(LaneKernels, PoseAsOneByOne) {
  std::set<PoseKernel> kernels;
  for (const test::Deformer& deformer : test::deformers()) {
    SCOPED_TRACE(deformer.name);
    const Character character = bound_tube(deformer);
    Evaluator at_once(character);
    Evaluator one_by_one(character, {.same_everywhere = true});
    for (const std::vector<glm::mat4>& joints : hard_poses(character->skeleton)) {
      for (Evaluator* evaluator : {&at_once, &one_by_one}) {
        evaluator->pose(joints);
        evaluator->evaluate();
      }
      for (const PalettePass& pass : character->passes) {
        if (!has_lanes(pass)) continue;
        kernels.insert(pass.kernel);
        ASSERT_NO_FATAL_FAILURE(expect_equal_entries(pass, at_once.palette(), one_by_one.palette()));
      }
    }
  }
  EXPECT_EQ(kernels, (std::set{PoseKernel::kCurveSkeleton, PoseKernel::kMosTable}));
}

// Records share work, such as the curve of a bone: wherever a run of them starts, each gives the same bits.
TEST_P(LaneKernels, PoseAlikeInAnyOrder) {
  for (const test::Deformer& deformer : test::deformers()) {
    const Character character = bound_tube(deformer);
    const std::vector<glm::mat4> joints = hard_poses(character->skeleton)[4];
    Evaluator evaluator(character);
    evaluator.pose(joints);
    evaluator.evaluate();
    const std::vector<glm::vec3> positions(evaluator.positions().begin(), evaluator.positions().end());
    std::vector<float> inputs = test::inputs_at_rest(*character);
    for (const PalettePass& pass : character->passes) {
      for (const bool same_everywhere : {false, true}) {
        const std::vector<Affine> before(evaluator.palette().begin(), evaluator.palette().end());
        std::vector<Affine> together = before;
        std::vector<Affine> apart = before;
        PoseRecords& pose = pose_on_cpu(pass.kernel, same_everywhere);
        pose(pass, 0, pass.record_count, {joints, positions, inputs, together});
        for (std::size_t i = pass.record_count; i-- > 0;) pose(pass, i, i + 1, {joints, positions, inputs, apart});
        EXPECT_TRUE(together == apart) << deformer.name << ", kernel " << static_cast<int>(pass.kernel);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, LaneKernels, testing::ValuesIn(targets_of_kernels()), target_name);

}  // namespace
}  // namespace pelt
