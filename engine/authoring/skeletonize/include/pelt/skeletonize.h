// SPDX-License-Identifier: MIT
// Makes a skeleton for a skin that has none, from its shape only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt {

struct SkeletonizeOptions {
  // Voxels along the longest side of the bounds, kMinResolution to kMaxResolution. Limbs should be at least two voxels
  // thick. Time and memory grow with its cube. It is lowered if more than half a million voxels would be inside.
  std::uint32_t resolution = 192;
  // Limbs that extend less beyond their trunk are left out: a fraction of the bounds' diagonal, 0 to 1. At 0.05 arms
  // end in hands; on a model of a hand, fingers are limbs.
  double detail = 0.05;
  // Largest length of a bone in radii of its limb; at least 1.
  double bone_length = 10;
  unsigned threads = 0;  // 0: all cores; the result does not depend on it
  std::function<void(double fraction, const std::string& what)> progress;  // called by the calling thread or empty

  static constexpr std::uint32_t kMinResolution = 8;
  static constexpr std::uint32_t kMaxResolution = 256;
};

struct SkeletonizeReport {
  std::size_t joints = 0;
  std::size_t ends = 0;       // joints at ends of limbs, which move no skin
  std::size_t junctions = 0;  // joints at which three or more limbs meet
  std::size_t pieces = 0;     // connected pieces of the inside that have joints
  double voxel_size = 0;      // metres
  std::size_t voxels = 0;     // inside voxels
  std::size_t critical_points = 0;
  std::size_t seeds = 0;           // starts of traced lines by low divergence
  std::vector<std::string> notes;  // one sentence each: dropped data, parts left out, open parts
};

struct Skeletonized {
  Model model;
  SkeletonizeReport report;
};

// Returns the model with a skeleton and weights made from the inside of its parts, whose holes count as closed. Joints
// lie on the curve skeleton traced in a repulsive force field (Cornea et al. 2005). There is one root, bones are
// parallel to the model's axes in the rest pose, and every joint is bound. A vertex has at most 4 joints, with weights
// by heat flow from the nearest bone. An existing skeleton, weights and clips are dropped; sheets and vertices without
// triangles follow the nearest joint. Meshes keep their vertices, triangles, parts, morph targets and attributes.
// Errors name the model and the mesh: kInvalidArgument for options out of range, positions that are not finite or
// beyond kMaxCoordinate, and triangles with missing vertices; kUnsupported if no part has an inside (the error names an
// open edge) or is thick enough, and for more than 256 joints.
Result<Skeletonized> make_skeleton(Model model, const SkeletonizeOptions& options = {});

}  // namespace pelt
