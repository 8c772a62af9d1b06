// SPDX-License-Identifier: MIT
// Tests crowds that take joints as matrices and as their upper rows.
#include <pelt/evaluate.h>
#include <pelt/linear_blend.h>
#include <pelt/runtime/buffer.h>

#include "tests/runtime/callers_buffer.h"
#include "tests/runtime/crowds.h"

namespace pelt::runtime {
namespace {

using shared::Affine;
using test::gpu_device;

class PosedCrowds : public Crowds {
 protected:
  void SetUp() override {
    Crowds::SetUp();
    for (std::size_t j = 0; j < bind_joints_.size(); ++j) {
      const float angle = 0.4f + 0.5f * static_cast<float>(j);
      matrices_.push_back(glm::translate(glm::mat4(1), glm::vec3(0.1f, -0.2f, 0.3f)) * bind_joints_[j] *
                          glm::rotate(glm::mat4(1), angle, glm::normalize(glm::vec3(1, 2, -1))) *
                          glm::scale(glm::mat4(1), glm::vec3(1.1f, 0.9f, 1.2f)));
    }
  }
  std::vector<glm::vec3> moved_by(Crowd& crowd) {
    EXPECT_TRUE(run(*gpu_device(), crowd));
    return positions(crowd, 1);
  }

  std::vector<glm::mat4> matrices_;
};

TEST_F(PosedCrowds, MoveAlikeByMatricesByRowsAndByBuffersOfTheCallers) {
  const Character character = test::bound_with(model_, "curve-skeleton").character;
  const GpuCharacters gpu = upload_character(character);
  Crowd crowd = make_crowd(gpu, {.instances = {2}});
  const std::vector<glm::vec3> rest = moved_by(crowd);
  crowd.pose(1, matrices_);
  const std::vector<glm::vec3> wanted = moved_by(crowd);
  EXPECT_GT(worst_distance(rest, glm::mat4(1), wanted), 0.1f * character.size());
  EXPECT_LT(worst_distance(rest, glm::mat4(1), positions(crowd, 0)), 1e-5f * character.size()) << "the other stands";
  crowd.pose(1, bind_joints_);
  EXPECT_LT(worst_distance(rest, glm::mat4(1), moved_by(crowd)), 1e-5f * character.size());
  crowd.pose(1, rows_of(matrices_));
  EXPECT_EQ(moved_by(crowd), wanted);

  const Buffer buffer = callers_buffer(4096);
  Crowd given = make_crowd(gpu, {.instances = {2}, .joints = rest_of(buffer)});
  fill(buffer, rows_of(matrices_), given.instance(1)->first_joint * sizeof(Affine));
  EXPECT_EQ(moved_by(given), wanted);
}

TEST_F(PosedCrowds, TurnHelperJoints) {
  Model model = model_;
  model.skeleton.joints.push_back({.name = "source", .parent = 0});
  Rig rig = test::rig_of(LinearBlendParameters{});
  rig.helper_joints = {{.joint = "joint1", .source = "source", .twist = 0.5f, .swing = 0.5f}};
  const Character helped = test::bound(model, rig).character;
  matrices_.push_back(matrices_.front());
  ASSERT_FALSE(helped->skeleton.helpers.empty());
  const GpuCharacters gpu = upload_character(helped);
  Crowd crowd = make_crowd(gpu, {.instances = {2}});
  crowd.pose(1, matrices_);
  const std::vector<glm::vec3> wanted = moved_by(crowd);
  crowd.pose(1, test::bind_matrices(model));
  EXPECT_NE(moved_by(crowd), wanted);
  crowd.pose(1, rows_of(matrices_));
  EXPECT_EQ(moved_by(crowd), wanted);
}

}  // namespace
}  // namespace pelt::runtime
