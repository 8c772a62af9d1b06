// SPDX-License-Identifier: MIT
#include "tests/support/posed_limb.h"

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

}  // namespace pelt::test
