// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <pelt/mesh.h>

namespace pelt {

struct Stitched {
  Mesh mesh;
  std::vector<std::uint32_t> new_vertex;       // for every old vertex
  std::vector<std::uint32_t> source_triangle;  // for each triangle, the old triangle that it is a part of, ascending
};

// Joins surfaces that lie end to end in one mesh into one surface. First, welds every vertex to the closest earlier
// kept vertex within `distance` (metres, 0 or more; 0 welds exact copies). Kept vertices keep their position, values
// and order, so nothing moves by more than the distance. Second, if a border vertex is within the distance from the
// inside of another border edge, splits the triangle at that edge at the vertex, until there is no such vertex:
// surfaces of different tessellation meet without cracks. Drops triangles without area, morph targets and attributes.
Stitched stitch(const Mesh& mesh, float distance);

}  // namespace pelt
