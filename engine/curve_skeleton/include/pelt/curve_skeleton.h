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

// A curve that the rig names: over these joints, in order along the curve. One of a name that the linkage rules give
// replaces that.
struct CurvePath {
  std::string name;
  std::vector<std::string> joints;
  glm::vec3 offset{0.0f};                     // from the joints, metres, model space at bind; carried by the joints
  std::vector<VertexOffset> control_offsets;  // of single control points, by number along the curve
  friend bool operator==(const CurvePath&, const CurvePath&) = default;
};

// What a rig sets at one joint of the curves through it; what it leaves out is measured, or computed.
struct CurveJoint {
  std::string joint;
  std::optional<float> skin_distance;    // d, metres
  std::optional<float> float_min;        // f_min, metres; none: an eighth of the shorter bone
  std::optional<float> float_max;        // f_max, metres; none: what the bones leave
  std::vector<CurveKey> float_distance;  // f, metres, over the bend in degrees; one key: constant; none: the formula
  // How much of the joint's twist the bone that leaves it takes, instead of the one before it; none: by what both can
  // take, and all of it where the one before begins at a branch (docs/mathematics.md section 2).
  std::optional<float> twist_after;
  std::optional<Bulge> bulge;
  friend bool operator==(const CurveJoint&, const CurveJoint&) = default;
};

// What a rig sets along the bone that leaves a joint.
struct CurveBone {
  std::string joint;
  std::string to;  // the joint at its other end; empty: every bone that leaves `joint`
  // Twist of the bone's far end that has arrived at a fraction of the bone: from (0, 0) to (1, 1), ascending. None:
  // even.
  std::vector<CurveKey> twist;
  bool smooth_twist = true;        // monotone cubic between the keys; else linear
  std::optional<BendyBone> bendy;  // none: what the model brings
  friend bool operator==(const CurveBone&, const CurveBone&) = default;
};

// Curve-skeleton skinning (Yang, Somasekharan & Zhang 2006); docs/mathematics.md section 2 is the specification.
struct CurveSkeletonParameters {
  static constexpr std::string_view kName = "curve_skeleton";

  bool automatic = true;            // curves from the joints, by the linkage rules
  std::vector<std::string> split;   // joints at which curves end
  std::vector<std::string> remove;  // automatic curves to leave out, by name
  std::vector<CurvePath> curves;
  CurveFrames frames = CurveFrames::kAuto;
  float centre = 0;  // of the frames: 0 on the curve, 1 on the bone
  CurveReference reference = CurveReference::kHalfSwing;
  float float_margin = 1;  // f times this
  Bulge bulge;
  std::vector<CurveJoint> joints;
  std::vector<CurveBone> bones;
  CurveBinding binding = CurveBinding::kAuto;
  std::uint32_t curves_per_vertex = 3;
  float curve_reach = 2;  // rho: curves beyond so many times the nearest one's distance do not count
  std::vector<CurveWeight> weights;
  float table_error = 5e-5f;  // of the largest extent of the targets: what the table of frames may be off
  friend bool operator==(const CurveSkeletonParameters&, const CurveSkeletonParameters&) = default;
};

void describe(Fields& fields, CurveSkeletonParameters& curves);

}  // namespace pelt
