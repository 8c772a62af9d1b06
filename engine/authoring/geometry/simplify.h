// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <pelt/mesh.h>

namespace pelt {

struct Simplified {
  Mesh mesh;                                 // only positions and triangles
  std::vector<std::uint32_t> source_vertex;  // vertex of the surface for every vertex of the mesh; ascending
  std::vector<std::string> notes;            // one sentence each, for the report
};

// Welds a surface and, if it has more than `triangle_count` triangles, thins it to about so many, part by part, each
// part keeping its border: in a fraction of the memory of simplify(), and with all threads. Every region keeps about
// the same share of its triangles. The result does not depend on the number of threads (0: all cores).
Simplified thin(Mesh surface, std::size_t triangle_count, unsigned threads = 0);

// Simplifies a closed or open surface to about `triangle_count` triangles (one or more) on some of its vertices: seams
// are welded, connected parts are kept while there are enough triangles, triangles without area are dropped. `density`,
// one value >= 0 for each vertex of the surface, is the wanted density of triangles relative to other places; empty: 1
// everywhere. A ratio of 3 comes out as 2 to 3. The surface's weights are not read.
Simplified simplify(Mesh surface, std::size_t triangle_count, std::vector<float> density = {});

}  // namespace pelt
