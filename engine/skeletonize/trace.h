// SPDX-License-Identifier: MIT
// From the force field to trees of points along the middle of every limb.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

#include "engine/skeletonize/force_field.h"
#include "engine/skeletonize/voxels.h"

namespace pelt::skeletonize {

struct TracedPoint {
  glm::dvec3 position{0};    // voxel units
  double depth = 0;          // voxels to the nearest surface point, where it was traced
  std::int32_t parent = -1;  // lower than its own index; -1: the first point of a tree
};

// A part of the inside that hangs together. The first of its points is an end of a limb, or, of a part without limbs,
// where it is deepest.
struct TracedPiece {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t voxels = 0;
};

struct Traced {
  std::vector<TracedPoint> points;
  std::vector<TracedPiece> pieces;  // cover the points, most voxels first
  std::size_t critical_points = 0;  // of the field
  std::size_t seeds = 0;            // that the force was followed from, beside them
};

// `detail` (voxels): a branch is kept where it is longer than that beyond what it grows from; a piece too, except that
// the largest one is always there. The same whatever the number of threads.
Traced trace(const ForceField& field, const Voxels& voxels, double detail, unsigned threads);

}  // namespace pelt::skeletonize
