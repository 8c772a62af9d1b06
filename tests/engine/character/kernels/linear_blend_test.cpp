// SPDX-License-Identifier: MIT
#include <glm/gtc/matrix_transform.hpp>

#include "engine/character/pose_kernels.h"
#include "engine/character/records.h"
#include "shaders/linear_blend/pose.h"

namespace pelt {
namespace {

glm::mat4 some_matrix(float seed) {
  return glm::scale(glm::rotate(glm::translate(glm::mat4(1), glm::vec3(seed, 2, -1)), seed, glm::vec3(0.6f, 0, 0.8f)),
                    glm::vec3(1, 2, 0.5f));
}

TEST(LinearBlendPose, IsTheJointTimesItsInverseBind) {
  const std::vector<glm::mat4> joints{some_matrix(0.3f), some_matrix(1.7f)};
  const glm::mat4 inverse_bind = glm::inverse(some_matrix(0.9f));
  PalettePass pass;
  pass.first_entry = 1;
  pass.record_count = 2;
  append_record(pass.records, shared::JointRecord{1, affine_from_mat4(inverse_bind)});
  append_record(pass.records, shared::JointRecord{0, affine_from_mat4(glm::mat4(1))});
  std::vector<Affine> palette(3, affine_identity());
  pose_kernel(PoseKernel::kLinearBlend).pose(pass, 0, 2, {joints, {}, {}, palette});

  const glm::vec3 p(0.2f, -0.7f, 1.1f);
  EXPECT_LT(glm::distance(transform_point(palette[1], p), glm::vec3(joints[1] * inverse_bind * glm::vec4(p, 1))),
            1e-5f);
  EXPECT_LT(glm::distance(transform_point(palette[2], p), glm::vec3(joints[0] * glm::vec4(p, 1))), 1e-6f);
  EXPECT_EQ(palette[0], affine_identity()) << "not of this pass";
}

}  // namespace
}  // namespace pelt
