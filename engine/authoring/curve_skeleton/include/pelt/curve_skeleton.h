// SPDX-License-Identifier: MIT
// Parameters of curve-skeleton skinning (Yang, Somasekharan & Zhang 2006).
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/bendy_bone.h>
#include <pelt/curve_keys.h>
#include <pelt/curve_settings.h>
#include <pelt/mesh.h>

namespace pelt {

class Fields;

// A curve over these joints, in order along the curve. It replaces an automatic curve of the same name; without joints
// it changes that curve.
struct CurvePath {
  std::string name;
  std::vector<std::string> joints;
  glm::vec3 offset{0.0f};  // offset from the joints, metres, model space at bind; moves with the joints
  std::vector<VertexOffset> control_offsets;  // offsets of single control points, by number along the curve
  // A mesh of lines of the model: the curve's points (joints and handles, with their offset) move to its nearest
  // points.
  std::string line{};
  friend bool operator==(const CurvePath&, const CurvePath&) = default;
};

// Settings of a rig at one joint of the curves through it. Values that are left out are measured or computed.
struct CurveJoint {
  std::string joint;
  std::optional<float> skin_distance;    // d, metres
  std::optional<float> float_min;        // f_min, metres; none: an eighth of the shorter bone
  std::optional<float> float_max;        // f_max, metres; none: as long as the bones allow
  std::vector<CurveKey> float_distance;  // f, metres, over the bend, degrees; one key: constant; empty: by the formula
  // Fraction of the joint's twist that the bone leaving it takes, instead of the bone before it. None: both divide the
  // twist by how much they can take; 1 if the bone before begins at a branch (docs/mathematics.md section 2.5).
  std::optional<float> twist_after;
  std::optional<Bulge> bulge;
  friend bool operator==(const CurveJoint&, const CurveJoint&) = default;
};

// Settings of a rig along the bone that leaves a joint.
struct CurveBone {
  std::string joint;
  std::string to;  // the joint at its other end; empty: every bone that leaves `joint`
  // Keys (fraction of the bone, fraction of its twist), from (0, 0) to (1, 1), ascending. Empty: even twist.
  std::vector<CurveKey> twist;
  bool smooth_twist = true;        // true: monotone cubic between the keys; false: linear
  std::optional<BendyBone> bendy;  // none: the bendy bone of the model counts
  friend bool operator==(const CurveBone&, const CurveBone&) = default;
};

// Parameters of curve-skeleton skinning (Yang, Somasekharan & Zhang 2006); docs/mathematics.md section 2 is the
// specification.
struct CurveSkeletonParameters {
  static constexpr std::string_view kName = "curve_skeleton";

  bool automatic = true;            // true: curves are also laid over the joints by the linkage rules
  std::vector<std::string> split;   // joints at which automatic curves end
  std::vector<std::string> remove;  // names of automatic curves to leave out
  std::vector<CurvePath> curves;
  CurveFrames frames = CurveFrames::kAuto;
  float centre = 0;  // origin of the frames: 0 on the curve, 1 on the bone
  CurveReference reference = CurveReference::kHalfSwing;
  float float_margin = 1;  // factor on computed floats
  Bulge bulge;
  std::vector<CurveJoint> joints;
  std::vector<CurveBone> bones;
  CurveBinding binding = CurveBinding::kAuto;
  std::uint32_t curves_per_vertex = 3;
  float curve_reach = 2;  // rho: curves farther than rho times the nearest one do not count
  std::vector<CurveWeight> weights;
  // Largest error of the table of frames, as a fraction of the largest extent of the targets.
  float table_error = 1.4e-4f;
  friend bool operator==(const CurveSkeletonParameters&, const CurveSkeletonParameters&) = default;
};

void describe(Fields& fields, CurveSkeletonParameters& curves);

}  // namespace pelt
