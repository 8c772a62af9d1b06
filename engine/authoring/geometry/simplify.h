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

// Welds a surface and, if it has more than `triangle_count` triangles, thins it to about that many, part by part,
// keeping the border of each part: in a fraction of the memory of simplify(), and with all threads. Every region keeps
// about the same fraction of its triangles. The result does not depend on the number of threads (0: all CPUs).
Simplified thin(Mesh surface, std::size_t triangle_count, unsigned threads = 0);

// Simplifies a closed or open surface to about `triangle_count` triangles (one or more) on some of its vertices. Welds
// seams, keeps connected parts while there are enough triangles, and drops triangles without area. `density`, one value
// >= 0 per vertex of the surface, is the relative density of triangles; empty: 1 everywhere. A ratio of 3 results in 2
// to 3. The surface's weights are not read.
Simplified simplify(Mesh surface, std::size_t triangle_count, std::vector<float> density = {});

}  // namespace pelt
