// SPDX-License-Identifier: MIT
// Traces trees of points along the middle of every limb in the force field.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

#include "engine/authoring/skeletonize/force_field.h"
#include "engine/authoring/skeletonize/voxels.h"

namespace pelt::skeletonize {

struct TracedPoint {
  glm::dvec3 position{0};    // voxel units
  double depth = 0;          // voxels to the nearest surface point, before smoothing
  std::int32_t parent = -1;  // smaller than its own index; -1: the first point of a tree
};

// A connected part of the inside. Its first point is an end of a limb, or, in a part without limbs, its deepest voxel.
struct TracedPiece {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t voxels = 0;
};

struct Traced {
  std::vector<TracedPoint> points;
  std::vector<TracedPiece> pieces;  // cover the points, most voxels first
  std::size_t critical_points = 0;  // critical points of the field
  std::size_t seeds = 0;            // further points from which the force is followed
};

// Traces the trees. `detail` (voxels): keeps branches that extend farther beyond their trunk's path, and pieces with a
// longer diagonal of their bounds; the largest piece is always kept. The result does not depend on the number of
// threads.
Traced trace(const ForceField& field, const Voxels& voxels, double detail, unsigned threads);

}  // namespace pelt::skeletonize
