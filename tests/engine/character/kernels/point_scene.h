// SPDX-License-Identifier: MIT
// A chain of four joints in a pose, and its control points by the formulae of docs/mathematics.md section 3, in double
// precision.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <glm/gtc/quaternion.hpp>
#include <limits>
#include <numeric>

#include <pelt/mos.h>

#include "engine/authoring/mos/table.h"
#include "engine/character/kernels/mos.h"
#include "tests/support/test_curve.h"

namespace pelt::mos {

inline constexpr double kTolerance = 2e-5;  // for places up to 10 from the origin, in float
inline const std::vector<glm::dvec3> kPlaces{{0, 0, 0}, {2, 0.1, 0}, {4, 0, 0.2}, {6, 0.3, 0}};
inline constexpr std::array<float, 4> kNoTwists{};
inline constexpr std::uint32_t kRoot = 0;

struct Frame {
  glm::dmat3 axes;
  glm::dvec3 origin;
};

inline double distance(const Frame& frame, const Affine& posed) {
  double most = glm::distance(frame.origin, glm::dvec3(affine_origin(posed)));
  const glm::dmat3 axes(affine_axes(posed));
  for (int c = 0; c < 3; ++c) most = std::max(most, glm::distance(frame.axes[c], axes[c]));
  return std::isfinite(most) ? most : std::numeric_limits<double>::infinity();
}

// Four joints in a row, each the anchor of a chain, in the pose of turns[i] (TestCurve::posed_joints).
struct Scene {
  explicit Scene(std::size_t top = 0) : limb(kPlaces, top) {
    std::iota(inputs.begin(), inputs.end(), 0u);
    pose(
        {test::turn(20, {1, 2, 3}), test::turn(50, {0, 1, 1}), test::turn(-70, {1, 0.3, 0}), test::turn(95, {1, 0, 1})},
        glm::translate(glm::mat4_cast(test::turn(130, {2, -1, 1})), {0.4, 1, -2}));
  }
  void pose(const std::vector<glm::dquat>& by, const glm::dmat4& motion = glm::dmat4(1.0)) {
    turns = by;
    joints = limb.posed_joints(turns, motion);
    motions.assign(4, glm::dquat(1, 0, 0, 0));
    const std::size_t top = limb.curve.chain.top;
    motions[top] = glm::quat_cast(glm::dmat3(motion)) * turns[top];
    for (std::size_t i = top + 1; i < 4; ++i) motions[i] = motions[i - 1] * turns[i];
    for (std::size_t i = top; i-- > 0;) motions[i] = motions[i + 1] * turns[i];
  }
  void pose_at_bind() { pose(std::vector<glm::dquat>(4, glm::dquat(1, 0, 0, 0))); }

  std::size_t upper(std::size_t i) const { return i > limb.curve.chain.top ? i - 1 : i + 1; }

  // Returns a_i, away from the top.
  glm::dvec3 axis(std::size_t i) const {
    const std::size_t top = limb.curve.chain.top;
    const std::ptrdiff_t away = i < top ? -1 : 1;
    auto from = static_cast<std::ptrdiff_t>(i);
    if (from + away < 0 || from + away > 3) from -= away;
    return glm::normalize(kPlaces[static_cast<std::size_t>(from + away)] - kPlaces[static_cast<std::size_t>(from)]);
  }

  // Returns tau_i.
  double twist(std::size_t i) const {
    if (i == limb.curve.chain.top) return 0;
    const glm::dquat turned = glm::conjugate(motions[upper(i)]) * motions[i];
    double angle = 2 * std::atan2(glm::dot(glm::dvec3(turned.x, turned.y, turned.z), axis(i)), turned.w);
    const double whole = 2 * glm::pi<double>();
    angle += whole * std::round((twists[i] - angle) / whole);
    return angle + twist(upper(i));
  }

  MosTable table(MosFrames frames = MosFrames::kRelative) const { return {limb.at_bind(), inputs, kRoot, frames}; }

  PointTurn turn_of(std::uint32_t far, float swing, float twist, bool angles) const {
    return {.chain = 0, .far = far, .swing = swing, .twist = twist, .axis = glm::vec3(axis(far)), .angles = angles};
  }

  glm::dmat3 bind_axes(std::size_t joint) const { return glm::dmat3(limb.at_bind()[joint]); }
  glm::dmat4 motion(std::size_t joint) const { return glm::dmat4(joints[joint]) * glm::inverse(limb.at_bind()[joint]); }

  test::TestCurve limb;
  std::vector<std::uint32_t> inputs = std::vector<std::uint32_t>(4);
  std::vector<glm::dquat> turns;
  std::vector<glm::dquat> motions;  // D_i
  std::vector<glm::mat4> joints;
  std::array<float, 4> twists{};
};

// A control point in doubles. `angle`: theta of the blend that its frame is for; none: its own.
struct Expected {
  glm::dmat3 swing{1.0};  // s S, or A A_rest^-1
  glm::dvec3 axis{1, 0, 0};
  double angle = 0;  // along the chain
  glm::dvec3 position{0.0};

  Frame frame(const glm::dmat3& rest, double theta) const {
    return {swing * glm::dmat3(glm::mat4_cast(glm::angleAxis(theta, axis))) * rest, position};
  }
};

inline Expected expected(const Scene& scene, const ControlPoint& point) {
  Expected result;
  const glm::dmat4 motion = scene.motion(point.joint);
  result.position = glm::dvec3(motion * glm::dvec4(point.position, 1));
  result.swing = glm::dmat3(motion);
  if (!point.turn) return result;
  const PointTurn& bone = *point.turn;
  const std::size_t near = scene.upper(bone.far);
  glm::dquat near_motion = scene.motions[near];
  glm::dquat far_motion = scene.motions[bone.far];
  if (bone.angles) {
    near_motion = near_motion * glm::angleAxis(-scene.twist(near), scene.axis(near));
    far_motion = far_motion * glm::angleAxis(-scene.twist(bone.far), scene.axis(bone.far));
    const double sign = bone.far < scene.limb.curve.chain.top ? -1 : 1;
    result.axis = sign * scene.axis(bone.far);
    result.angle = sign * std::lerp(scene.twist(near), scene.twist(bone.far), double{bone.twist});
  }
  const double scale = std::cbrt(std::abs(glm::determinant(glm::dmat3(motion))));
  result.swing = scale * glm::dmat3(glm::mat4_cast(glm::slerp(near_motion, far_motion, double{bone.swing})));
  return result;
}

inline Affine posed_point(const Scene& scene, const ControlPoint& point, std::span<const PointEdit> edits = {},
                          MosFrames frames = MosFrames::kRelative) {
  MosTable table = scene.table(frames);
  const std::uint32_t chain = table.put_chain(scene.limb.curve.chain);
  const std::uint32_t word = table.put_point(point, std::array{chain}, edits);
  return PosedPoints(table, scene.joints, scene.twists).frame(word);
}

inline void expect_near(const Frame& wanted, const Affine& posed) { EXPECT_LT(distance(wanted, posed), kTolerance); }

}  // namespace pelt::mos
