// SPDX-License-Identifier: MIT
#include <glm/gtc/matrix_transform.hpp>
#include <random>

#include "engine/character/pose_kernels.h"
#include "engine/character/records.h"
#include "shaders/dual_quaternion/pose.h"

namespace pelt {
namespace {

// Returns the palette of one joint at `matrix` that was bound at the origin.
std::vector<Affine> posed(const glm::mat4& matrix) {
  PalettePass pass;
  pass.record_count = 1;
  append_record(pass.records, shared::JointRecord{0, affine_identity()});
  std::vector<Affine> palette(2);
  dual_quaternion::kDualQuaternion.pose(pass, 0, 1, {std::span(&matrix, 1), {}, {}, palette});
  return palette;
}

// Returns the frame that the blend makes of a single influence.
Affine recomposed(const std::vector<Affine>& palette) {
  const shared::DualQuaternion rigid{palette[0][0], palette[0][1]};
  return affine_compose(shared::rigid_from_dual_quaternion(rigid, rigid), palette[1]);
}

TEST(DualQuaternionPose, OneInfluenceAloneGivesItsTransform) {
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 500; ++i) {
    glm::mat4 matrix(1);
    for (int c = 0; c < 4; ++c) {
      for (int r = 0; r < 3; ++r) matrix[c][r] = normal(random);
    }
    if (i % 5 == 1) matrix[1] *= -1;           // mirrored or not
    if (i % 5 == 2) matrix[2] = glm::vec4(0);  // flat
    if (i % 5 == 3) matrix = glm::scale(matrix, glm::vec3(1e-6f));
    const Affine expected = affine_from_mat4(matrix);
    const Affine actual = recomposed(posed(matrix));
    for (int row = 0; row < 3; ++row) {
      ASSERT_LT(glm::distance(actual[row], expected[row]), 2e-5f * (1 + glm::length(expected[row]))) << i;
    }
  }
}

TEST(DualQuaternionPose, ARotationHasNoStretch) {
  for (int degrees = 0; degrees <= 360; degrees += 15) {
    const glm::mat4 matrix =
        glm::rotate(glm::mat4(1), glm::radians(static_cast<float>(degrees)), glm::normalize(glm::vec3(1, 2, -0.5f)));
    const std::vector<Affine> palette = posed(matrix);
    EXPECT_NEAR(glm::length(palette[0][0]), 1, 1e-5f);
    EXPECT_EQ(palette[1], affine_identity()) << "rounding is no stretch";
    EXPECT_EQ(palette[0][2], glm::vec4(0));
  }
}

TEST(DualQuaternionPose, TellsWhetherAJointStretches) {
  for (const float off : {1e-7f, -2e-6f, 1e-5f, -1e-5f, 1.0f}) {
    for (int axis = 0; axis < 3; ++axis) {
      glm::vec3 scale(1);
      scale[axis] += off;
      const std::vector<Affine> palette = posed(glm::scale(glm::mat4(1), scale));
      const bool is_one = std::abs(off) < shared::kNoStretch;
      EXPECT_EQ(palette[0][2].x, is_one ? 0 : 1) << off;
      EXPECT_NEAR(palette[1][axis][axis], is_one ? 1 : scale[axis], 1e-6f) << off;
    }
  }
}

}  // namespace
}  // namespace pelt
