// SPDX-License-Identifier: MIT
// A skeleton for a skin that has none, from its shape alone.
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
  // Voxels along the longest side of the bounds: limbs should be two or more thick. kMinResolution to
  // kMaxResolution; time and memory go by its cube. Fewer serve where half a million would be inside.
  std::uint32_t resolution = 192;
  // Limbs that reach less far beyond what they grow from are none: a share of the bounds' diagonal, 0 to 1. At 0.05
  // hands are the ends of a body's arms, and fingers those of a hand.
  double detail = 0.05;
  // A bone is at most so many radii of its limb long; at least 1.
  double bone_length = 10;
  unsigned threads = 0;  // 0: all cores; the result does not depend on it
  std::function<void(double fraction, const std::string& what)> progress;  // from the calling thread; may be empty

  static constexpr std::uint32_t kMinResolution = 8;
  static constexpr std::uint32_t kMaxResolution = 256;
};

struct SkeletonizeReport {
  std::size_t joints = 0;
  std::size_t ends = 0;       // joints at ends of limbs, which move no skin
  std::size_t junctions = 0;  // joints that three or more limbs meet in
  std::size_t pieces = 0;     // of the inside that do not hang together, and that have joints
  double voxel_size = 0;      // metres
  std::size_t voxels = 0;     // inside
  std::size_t critical_points = 0;
  std::size_t seeds = 0;           // of low divergence
  std::vector<std::string> notes;  // one sentence each: what was dropped, left out or open
};

struct Skeletonized {
  Model model;
  SkeletonizeReport report;
};

// The model with a skeleton and weights made from the inside of its closed parts: joints on the curve skeleton that is
// traced in a repulsive force field (Cornea et al. 2005), one root, bones parallel to the axes of the model at rest,
// every joint bound; at most 4 joints a vertex, by heat flow from the nearest bone. A skeleton, weights and clips that
// the model has are dropped; open parts and vertices of no triangle follow the nearest joint. Meshes keep their
// vertices, triangles, parts, morph targets and attributes.
// Errors name the model and the mesh: kInvalidArgument for options out of range, positions that are no numbers or
// beyond kFarthest, and triangles of no vertex; kUnsupported where no part is closed (with an open edge) or thick
// enough.
Result<Skeletonized> make_skeleton(Model model, const SkeletonizeOptions& options = {});

}  // namespace pelt
