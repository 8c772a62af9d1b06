// SPDX-License-Identifier: MIT
// The built-in limb, bound and bent.
#pragma once

#include <glm/glm.hpp>
#include <vector>

#include <pelt/character.h>
#include <pelt/model.h>
#include <pelt/rig.h>

namespace pelt::test {

// The limb, bound with `rig`, which has a control of the joint's twist.
struct PosedLimb {
  explicit PosedLimb(const Rig& rig);

  // Returns positions with the second joint posed by `motion` about its own position. `twist`: value of the control,
  // radians.
  std::vector<glm::vec3> posed(const glm::mat4& motion, float twist = 0) const;

  // Expects that a twist of up to one and a quarter turns keeps the distances of vertices from the axis, and their
  // places along it.
  void expect_that_twist_keeps_the_section() const;

  Model model;
  Character character;
};

}  // namespace pelt::test
