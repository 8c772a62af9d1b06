// SPDX-License-Identifier: MIT
// Key poses: shapes of a mesh at angles of joints.
#pragma once

#include <string>
#include <vector>

#include <pelt/curve_keys.h>
#include <pelt/mesh.h>

namespace pelt {

class Fields;

// A shape of a mesh at certain angles, or at a value: the sum of the listed offsets and those of a morph target.
struct KeyPose {
  std::vector<float> degrees;  // one for each angle of the set
  std::string morph_target;
  std::vector<VertexOffset> offsets;
  float at = 1;  // without angles: the set's control, or its muscle's length over that at bind
  // For drivers: turns of the frames of single vertices (Singh & Kokkevis 2000, section 4.2), instead of those that
  // follow from the offsets. Each is about the axis `offset`, model space at bind, by its length: degrees, below 90.
  std::vector<VertexOffset> turns{};
  friend bool operator==(const KeyPose&, const KeyPose&) = default;
};

enum class KeyInterpolation {
  kLinear,  // piecewise, over one angle; constant beyond the last keys
  kRbf,     // Gaussian radial basis functions over up to 8 angles; fades to 0 far from all keys
};

// Key poses over the same angles, a control or a muscle's stretch. Rest (all angles 0, control 0, stretch 1) is a key
// without offsets.
struct KeyPoseSet {
  std::vector<KeyAngle> angles;
  KeyInterpolation interpolation = KeyInterpolation::kLinear;
  std::vector<KeyPose> poses;
  std::string control{};  // instead of angles: a number that the game sets each frame
  std::string muscle{};   // instead of angles: a muscle of the rig
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
