// SPDX-License-Identifier: MIT
// Curves over a few points, in poses made of turns, for the tests of the curve skeleton.
#pragma once

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <span>
#include <vector>

#include "engine/authoring/chain/curve.h"

namespace pelt::test {

// A curve with a joint at each of its anchors. The joints' axes at bind are turned at random, with z along a chosen
// direction.
class TestCurve {
 public:
  // Sets d to 0.3, f_min to an eighth and f_max to half of the shorter bone; frames are tangent frames, and nothing
  // bulges. `top`: Chain::top.
  explicit TestCurve(const std::vector<glm::dvec3>& points, std::size_t top = 0,
                     const glm::dvec3& z = glm::dvec3(0, 0, 1));

  chain::Curve curve;  // tests may change it

  std::span<const glm::dmat4> at_bind() const { return at_bind_; }

  // Returns joint matrices with joint i turned by turns[i] relative to the one before it, counted from the top, and all
  // then moved by `motion`. Turns are about axes of model space at bind; `turns` has one for every joint.
  std::vector<glm::mat4> posed_joints(std::span<const glm::dquat> turns,
                                      const glm::dmat4& motion = glm::dmat4(1.0)) const;

  // Returns frames of the present `curve`. `twists`: the twist input of each joint, or empty.
  chain::PosedCurve posed(std::span<const glm::mat4> joints, std::span<const float> twists = {}) const;

  // Returns the same curve, described from its other end.
  TestCurve reversed() const;

 private:
  std::vector<glm::dmat4> at_bind_;
};

// Returns a turn by `degrees` about the axis.
glm::dquat turn(double degrees, const glm::dvec3& axis);

}  // namespace pelt::test
