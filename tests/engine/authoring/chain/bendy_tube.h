// SPDX-License-Identifier: MIT
// A tube with bendy bones, as a bind settles and moves it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <glm/glm.hpp>
#include <string>
#include <vector>

#include <pelt/curve_skeleton.h>

#include "engine/authoring/chain/attach.h"
#include "engine/authoring/curve_skeleton/resolve_curves.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"

namespace pelt::chain {

inline constexpr float kLength = 2;  // metres, of each bone
inline constexpr std::uint32_t kJoints = 4;
inline constexpr std::uint32_t kAround = 8;
inline constexpr std::uint32_t kAlong = 64;

// Returns a tube with joints at x = 0, 2, 4, 6, a tip at 8 and z across: four bones, and a ring every 0.125.
inline Model tube() {
  return test::make_tube(
      {.around = kAround, .along = kAlong, .radius = 0.5f, .length = kLength * kJoints, .joints = kJoints});
}

// Makes the bone that leaves `joint` bendy: by default that from joint1 to joint2, of four in a row.
inline CurveSkeletonParameters with_bone(const BendyBone& values, const char* joint = "joint1") {
  CurveSkeletonParameters parameters;
  parameters.bones = {{joint, "", {}, true, values}};
  return parameters;
}

// Does the same on a curve that runs up the chain from the tip: its bones are numbered 3, 2, 1, 0.
inline CurveSkeletonParameters upwards(CurveSkeletonParameters parameters) {
  parameters.automatic = false;
  parameters.curves = {{"up", {"joint3", "joint2", "joint1", "joint0"}, {}, {}}};
  return parameters;
}

struct Settled {
  std::vector<Curve> curves;
  std::vector<std::string> notes;
  std::vector<glm::dmat4> at_bind;
};

inline Settled settled(const Model& model, const CurveSkeletonParameters& parameters) {
  const std::vector<std::uint32_t> meshes{0};
  Settled result;
  result.at_bind = matrices_at_bind(model, meshes);
  const Chains chains = test::must(curve_skeleton::resolve_chains(parameters, model, meshes, "layer"));
  result.curves = test::must(
      curve_skeleton::resolve_curves(parameters, chains.chains, model, result.at_bind, "layer", result.notes));
  return result;
}

inline std::vector<std::string> notes(const Model& model, const CurveSkeletonParameters& parameters) {
  return test::bound(model, test::rig_of(parameters)).report.notes;
}

// Returns the tube in the pose at bind, moved by the character: only bendy bones move it.
inline std::vector<glm::vec3> moved_tube(const Model& model, const CurveSkeletonParameters& parameters) {
  return test::posed(test::bound(model, test::rig_of(parameters)).character, test::bind_matrices(model), "tube");
}

// Returns vertex k of the ring at x.
inline std::size_t at(float x, std::uint32_t k) {
  return static_cast<std::size_t>(std::lround(x / (kLength * kJoints) * kAlong)) * kAround + k;
}

inline void expect_near(const glm::vec3& a, const glm::vec3& b, float tolerance, const char* what = "") {
  EXPECT_LE(glm::distance(a, b), tolerance)
      << what << ": " << a.x << ' ' << a.y << ' ' << a.z << " is not " << b.x << ' ' << b.y << ' ' << b.z;
}

}  // namespace pelt::chain
