// SPDX-License-Identifier: MIT
// Key poses: shapes of a mesh at angles of joints.
#pragma once

#include <string>
#include <vector>

#include <pelt/curve_keys.h>
#include <pelt/mesh.h>

namespace pelt {

class Fields;

// A shape of a mesh at certain angles: the sum of the listed offsets and those of a morph target.
struct KeyPose {
  std::vector<float> degrees;  // one for each angle of the set
  std::string morph_target;
  std::vector<VertexOffset> offsets;
  friend bool operator==(const KeyPose&, const KeyPose&) = default;
};

enum class KeyInterpolation {
  kLinear,  // piecewise, over one angle; constant beyond the last keys
  kRbf,     // Gaussian radial basis functions over up to 8 angles; fades to 0 far from all keys
};

// Key poses over the same angles. The rest pose, in which all angles are 0, is a key without offsets.
struct KeyPoseSet {
  std::vector<KeyAngle> angles;
  KeyInterpolation interpolation = KeyInterpolation::kLinear;
  std::vector<KeyPose> poses;
  friend bool operator==(const KeyPoseSet&, const KeyPoseSet&) = default;
};

// Key poses of a skin. A morph target of such a pose follows the joints instead of the clips; its control adds to that.
struct Corrective {
  std::string mesh;  // the skin
  KeyPoseSet keys;
  friend bool operator==(const Corrective&, const Corrective&) = default;
};

void describe(Fields& fields, KeyPoseSet& set);
void describe(Fields& fields, Corrective& corrective);

}  // namespace pelt
