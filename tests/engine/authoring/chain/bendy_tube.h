// SPDX-License-Identifier: MIT
// A tube with bendy bones, as a bind settles and moves it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <glm/glm.hpp>
#include <string>
#include <utility>
#include <vector>

#include <pelt/bind.h>
#include <pelt/curve_skeleton.h>
#include <pelt/evaluate.h>

#include "engine/authoring/chain/attach.h"
#include "engine/authoring/curve_skeleton/resolve_curves.h"
#include "tests/support/tube.h"

namespace pelt::chain {

inline constexpr float kLength = 2;  // metres, of each bone
inline constexpr std::uint32_t kJoints = 4;
inline constexpr std::uint32_t kAround = 8;
inline constexpr std::uint32_t kAlong = 64;

// Returns a tube with joints at x = 0, 2, 4, 6, a tip at 8 and z across: four bones, and a ring every 0.125.
inline Model tube() {
  test::TubeOptions options;
  options.around = kAround;
  options.along = kAlong;
  options.radius = 0.5f;
  options.length = kLength * kJoints;
  options.joints = kJoints;
  return test::make_tube(options);
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

inline Rig rig_of(const CurveSkeletonParameters& parameters) {
  Rig rig{.judging = Judging::kNone};
  rig.layers.push_back({"*", parameters, {}, {}});
  return rig;
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
  const Result<Chains> chains = curve_skeleton::resolve_chains(parameters, model, meshes, "layer");
  if (!chains) return ADD_FAILURE() << chains.error().message, result;
  Result<std::vector<Curve>> curves =
      curve_skeleton::resolve_curves(parameters, chains->chains, model, result.at_bind, "layer", result.notes);
  if (!curves) return ADD_FAILURE() << curves.error().message, result;
  result.curves = std::move(*curves);
  return result;
}

inline std::vector<std::string> notes(const Model& model, const CurveSkeletonParameters& parameters) {
  const Result<Bound> bound = pelt::bind(model, rig_of(parameters));
  if (!bound) return {bound.error().message};
  return bound->report.notes;
}

// Returns the tube in the pose at bind, moved by the character: only bendy bones move it.
inline std::vector<glm::vec3> moved_tube(const Model& model, const CurveSkeletonParameters& parameters) {
  std::vector<glm::vec3> positions(model.meshes[0].positions.size());
  const Result<Bound> bound = pelt::bind(model, rig_of(parameters));
  if (!bound) return ADD_FAILURE() << bound.error().message, positions;
  Evaluator evaluator(bound->character);
  evaluator.evaluate();
  to_source_order<glm::vec3>(bound->character->meshes[0], evaluator.positions(), positions);
  return positions;
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
