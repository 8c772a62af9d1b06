// SPDX-License-Identifier: MIT
// The inside of a skin as a grid of cells, joined only if the way between them stays inside.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/authoring/skeletonize/voxels.h"

namespace pelt::paint {

struct Solid {
  skeletonize::Voxels voxels;  // origin, size, extent, number and cells
  // For each cell, bit n: the way to its neighbour n (skeletonize::neighbour) stays inside.
  std::vector<std::uint32_t> links;

  // Calls visit(cell, distance) for the cells that ways lead to; distances are in voxels.
  template <class Visit>
  void for_linked(std::uint32_t cell, const Visit& visit) const {
    constexpr float kLengths[] = {0, 1, 1.41421356f, 1.73205081f};
    for (int n = 0; n < skeletonize::kNeighbours; ++n) {
      if ((links[cell] >> n & 1) == 0) continue;
      const glm::ivec3 step = skeletonize::neighbour(n);
      visit(voxels.at(voxels.cells[cell] + step), kLengths[step.x * step.x + step.y * step.y + step.z * step.z]);
    }
  }
};

// Makes the inside of triangles with welded vertices. Each connected part is filled by itself: open borders are closed
// by cones, inner walls and the direction of triangles do not matter. The least surface between two limbs separates
// them, even without a cell between them. Parts without a cell in them, such as sheets, get the cells that they touch,
// joined to all next to them. `resolution` cells lie along the longest side, fewer if there would be too many.
Solid make_solid(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles, int resolution);

// Returns the inside cell nearest to a vertex of the skin, on the inner side if there is one; skeletonize::kOutside if
// none is next to it. `normal`: outward, so long that it leads out of all faces of the vertex.
std::uint32_t cell_at(const Solid& solid, const glm::dvec3& position, const glm::dvec3& normal);

}  // namespace pelt::paint
