// SPDX-License-Identifier: MIT
// Key poses: shapes of a driver at angles of joints.
#pragma once

#include <string>
#include <vector>

#include <pelt/curve_keys.h>
#include <pelt/mesh.h>

namespace pelt {

class Fields;

// A shape of the driver at certain angles: the sum of the listed offsets and those of a morph target of the driver's
// mesh.
struct KeyPose {
  std::vector<float> degrees;  // one for each angle of the set
  std::string morph_target;
  std::vector<VertexOffset> offsets;
  friend bool operator==(const KeyPose&, const KeyPose&) = default;
};

enum class KeyInterpolation {
  kLinear,  // piecewise, over one angle; held beyond the last keys
  kRbf,     // Gaussian radial basis functions over up to 8 angles; falls back to none far from all keys
};

// Key poses over the same angles. The rest pose, where all angles are 0, is a key without offsets.
struct KeyPoseSet {
  std::vector<KeyAngle> angles;
  KeyInterpolation interpolation = KeyInterpolation::kLinear;
  std::vector<KeyPose> poses;
  friend bool operator==(const KeyPoseSet&, const KeyPoseSet&) = default;
};

void describe(Fields& fields, KeyPoseSet& set);

}  // namespace pelt
