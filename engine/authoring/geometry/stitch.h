// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <pelt/mesh.h>

namespace pelt {

struct Stitched {
  Mesh mesh;
  std::vector<std::uint32_t> new_vertex;       // for every old vertex
  std::vector<std::uint32_t> source_triangle;  // the old triangle that each triangle is a part of, ascending
};

// Joins surfaces that lie end to end in one mesh into one surface. First, every vertex is welded to the closest earlier
// one that is kept and is not farther away than `distance` (metres, 0 or more; 0 welds exact copies). Kept vertices
// keep their place, values and order, so nothing moves by more than the distance. Second, if a border vertex is not
// farther than the distance from the inside of another border edge, the triangle at that edge is split at the vertex,
// until no such vertex is left: surfaces of different tessellation meet without cracks. Triangles without area, morph
// targets and attributes are dropped.
Stitched stitch(const Mesh& mesh, float distance);

}  // namespace pelt
