// SPDX-License-Identifier: MIT
#include "tests/support/posed_limb.h"

#include <gtest/gtest.h>

#include <glm/gtc/matrix_transform.hpp>

#include <pelt/builtin.h>
#include <pelt/evaluate.h>

#include "tests/support/driven.h"

namespace pelt::test {

PosedLimb::PosedLimb(const Rig& rig) : model(make_limb()), character(bound(model, rig).character) {}

std::vector<glm::vec3> PosedLimb::posed(const glm::mat4& motion, float twist) const {
  std::vector<glm::mat4> joints = bind_matrices(model);
  joints[1] = joints[1] * motion;
  Evaluator evaluator(character);
  evaluator.pose(joints);
  evaluator.control(*character->find_control("twist/joint"), twist);
  evaluator.evaluate();
  return positions_of(evaluator, character, model.meshes[0].name);
}

void PosedLimb::expect_that_twist_keeps_the_section() const {
  const std::vector<glm::vec3>& rest = model.meshes[0].positions;
  for (const float degrees : {90.0f, 180.0f, 270.0f, 450.0f, -270.0f}) {
    SCOPED_TRACE(degrees);
    const float radians = glm::radians(degrees);
    const std::vector<glm::vec3> twisted = posed(glm::rotate(glm::mat4(1), radians, glm::vec3(1, 0, 0)), radians);
    for (std::size_t v = 0; v < rest.size(); ++v) {
      const float before = glm::length(glm::vec2(rest[v].y, rest[v].z));
      if (before < 0.2f) continue;
      const float ratio = glm::length(glm::vec2(twisted[v].y, twisted[v].z)) / before;
      ASSERT_GE(ratio, 0.97f) << v;
      ASSERT_LE(ratio, 1.001f) << v;
      ASSERT_NEAR(twisted[v].x, rest[v].x, 1e-3f) << v;
    }
  }
}

}  // namespace pelt::test
