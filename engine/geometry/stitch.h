// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <pelt/mesh.h>

namespace pelt {

struct Stitched {
  Mesh mesh;
  std::vector<std::uint32_t> new_vertex;       // for every old vertex
  std::vector<std::uint32_t> source_triangle;  // for every triangle the old one that it is a part of, ascending
};

// Surfaces that lie end to end in one mesh as one surface. First, every vertex is welded to the closest one before it
// that stays and is not farther away than `distance` (metres, 0 or more; 0 welds exact copies); what stays keeps its
// place, its values and its order, so that nothing moves by more than the distance. Second, where a vertex of a border
// is not farther than the distance from the inside of another border edge, the triangle there is split at that vertex,
// until there is none left: surfaces of different tessellation meet without cracks. Triangles without area are dropped,
// and so are morph targets and attributes.
Stitched stitch(const Mesh& mesh, float distance);

}  // namespace pelt
