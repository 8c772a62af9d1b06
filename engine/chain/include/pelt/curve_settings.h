// SPDX-License-Identifier: MIT
// What deformers along curves share in their parameters.
#pragma once

#include <optional>
#include <string>

#include <pelt/selection.h>

namespace pelt {

class Fields;

// How a vertex finds its curves.
enum class CurveBinding {
  kAuto,      // by weights where the mesh has them, by distance elsewhere
  kDistance,  // the nearest curves (Yang et al. 2006, "Skinning")
  kWeights,   // the same among the curves whose joints move the vertex by the mesh's own weights
};

// How the frames along a curve run from joint to joint (docs/mathematics.md section 2).
enum class CurveFrames {
  kAuto,      // turning near the joints alone, without folds, the curve kept as long as it was: the default
  kTangent,   // rotation-minimising
  kEndpoint,  // interpolated linearly from joint to joint (Yang et al. 2006, equation 2)
};

// What carries the reference axis of a joint's frame.
enum class CurveReference {
  kHalfSwing,  // half of the joint's swing: the section does not roll at oblique bends
  kJoint,      // the joint
};

// Flesh keeps its volume where a curve cuts the corner of a bend, and swells.
struct Bulge {
  float volume = 1;            // how much of a slice's volume is kept: 0 none, 1 all
  float across = 0;            // further widening at a bend of 90 degrees, across the plane of the bend,
  float along = 0;             // and in it, as fractions of the skin's distance
  std::optional<float> reach;  // metres along the curve from the joint; none: as far as the curve leaves the bone
  friend bool operator==(const Bulge&, const Bulge&) = default;
};

// A curve's weights times what the region says.
struct CurveWeight {
  std::string curve;
  float value = 1;  // in the region; 1 outside
  Region region;
  friend bool operator==(const CurveWeight&, const CurveWeight&) = default;
};

void describe(Fields& fields, Bulge& bulge);
void describe(Fields& fields, CurveWeight& weight);

}  // namespace pelt
