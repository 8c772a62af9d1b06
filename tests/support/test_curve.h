// SPDX-License-Identifier: MIT
// Curves over a few points, in poses that are given by turns: what the tests of the curve skeleton are made of.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <span>
#include <vector>

#include "engine/chain/curve.h"

namespace pelt::test {

// A curve with a joint at each of its anchors, whose axes at bind are turned at random, but have z along a given
// direction.
class TestCurve {
 public:
  // d, f_min and f_max are 0.3, an eighth and half of the shorter bone; `frames` are tangent, and
  // nothing bulges. `top`: Chain::top.
  explicit TestCurve(const std::vector<glm::dvec3>& points, std::size_t top = 0,
                     const glm::dvec3& z = glm::dvec3(0, 0, 1));

  chain::Curve curve;  // for the test to change

  std::span<const glm::dmat4> at_bind() const { return at_bind_; }

  // Joint matrices where joint i has turned by turns[i] against the one before it, counted from the top, and all have
  // then moved by `motion`. Turns are about axes of model space at bind; none left out.
  std::vector<glm::mat4> posed_joints(std::span<const glm::dquat> turns,
                                      const glm::dmat4& motion = glm::dmat4(1.0)) const;

  // Frames of `curve` as it is now. `twists`: what the pose gives for each joint, or empty: nothing.
  chain::PosedCurve posed(std::span<const glm::mat4> joints, std::span<const float> twists = {}) const;

  // The same curve, described from its other end.
  TestCurve reversed() const;

 private:
  std::vector<glm::dmat4> at_bind_;
};

// By `degrees` about the axis.
glm::dquat turn(double degrees, const glm::dvec3& axis);

}  // namespace pelt::test
