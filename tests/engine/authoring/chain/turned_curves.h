// SPDX-License-Identifier: MIT
// Curves over several joints and turns of them, and how to measure frames.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <string>

#include <pelt/curve_skeleton.h>

#include "tests/support/test_curve.h"

namespace pelt::chain {

using Turns = std::vector<glm::dquat>;

inline const glm::dquat kNoTurn(1, 0, 0, 0);

inline std::vector<CurveFrames> all_frames() {
  return {CurveFrames::kAuto, CurveFrames::kTangent, CurveFrames::kEndpoint};
}

inline std::string name_of(const testing::TestParamInfo<CurveFrames>& frames) {
  constexpr const char* kNames[] = {"Auto", "Tangent", "Endpoint"};
  return kNames[static_cast<std::size_t>(frames.param)];
}

inline glm::dvec3 axis(const Affine& frame, int i) { return glm::normalize(glm::dvec3(affine_axes(frame)[i])); }

inline glm::dvec3 origin(const Affine& frame) { return glm::dvec3(affine_origin(frame)); }

inline double degrees_between(const glm::dvec3& a, const glm::dvec3& b) {
  return glm::degrees(std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b)));
}

// Returns the angle from a to b about x, right-handed.
inline double degrees_about(const glm::dvec3& x, const glm::dvec3& a, const glm::dvec3& b) {
  return glm::degrees(std::atan2(glm::dot(glm::cross(a, b), x), glm::dot(a, b)));
}

// Returns joints along x, `bone` apart.
inline std::vector<glm::dvec3> straight(std::size_t count, double bone = 1.0) {
  std::vector<glm::dvec3> points;
  for (std::size_t i = 0; i < count; ++i) points.emplace_back(bone * static_cast<double>(i), 0.0, 0.0);
  return points;
}

// Joints that are on no line, with bones from 0.8 to 1.2 long.
inline const std::vector<glm::dvec3> kSixCrookedJoints{{0, 0, 0},       {0.9, 0.2, 0.1}, {1.8, 0.1, 0.4},
                                                       {2.5, 0.5, 0.3}, {3.4, 0.4, 0.9}, {4.2, 1.1, 1.2}};

// Returns turns that bend and twist every joint, also the first one.
inline Turns wild_turns(std::size_t count) {
  Turns turns;
  for (std::size_t i = 0; i < count; ++i) {
    const double k = static_cast<double>(i);
    turns.push_back(test::turn(35 + 20 * std::sin(1.3 * k), {std::sin(2.1 * k + 1), std::cos(1.7 * k), 0.6}));
  }
  return turns;
}

inline glm::dmat4 rigid_motion() {
  return glm::rotate(glm::translate(glm::dmat4(1.0), glm::dvec3(3, -2, 5)), 2.2, glm::normalize(glm::dvec3(1, 2, -3)));
}

}  // namespace pelt::chain
