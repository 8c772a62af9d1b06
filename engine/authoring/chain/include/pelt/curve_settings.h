// SPDX-License-Identifier: MIT
// Parameters shared by all deformers along curves.
#pragma once

#include <optional>
#include <string>

#include <pelt/selection.h>

namespace pelt {

class Fields;

// How a vertex finds its curves.
enum class CurveBinding {
  kAuto,      // by weights if the mesh has them, else by distance
  kDistance,  // the nearest curves (Yang et al. 2006, "Skinning")
  kWeights,   // the same among the curves whose joints move the vertex by the mesh's own weights
};

// How the frames along a curve run from joint to joint (docs/mathematics.md section 2).
enum class CurveFrames {
  kAuto,      // frames turn only near the joints, without folds, and the curve about keeps its length (default)
  kTangent,   // rotation-minimising
  kEndpoint,  // interpolated linearly from joint to joint (Yang et al. 2006, equation 2)
};

// How the reference axis of a joint's frame moves.
enum class CurveReference {
  kHalfSwing,  // with half of the joint's swing: the section does not roll at oblique bends
  kJoint,      // with the joint
};

// How flesh swells to keep its volume, since a curve cuts the corner of a bend.
struct Bulge {
  float volume = 1;  // fraction of a slice's volume that round skin keeps: 0 none, 1 all
  float across = 0;  // further widening across the plane of a bend of 90 degrees, as a fraction of the skin's distance
  float along = 0;   // the same in the plane of the bend
  std::optional<float> reach;  // metres along the curve from the joint; none: as far as the curve leaves the bone
  friend bool operator==(const Bulge&, const Bulge&) = default;
};

// A factor on the weights of one curve in a region of the mesh.
struct CurveWeight {
  std::string curve;
  float value = 1;  // factor in the region; outside it is 1
  Region region;
  friend bool operator==(const CurveWeight&, const CurveWeight&) = default;
};

void describe(Fields& fields, Bulge& bulge);
void describe(Fields& fields, CurveWeight& weight);

}  // namespace pelt
