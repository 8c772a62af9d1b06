// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <pelt/mesh.h>

namespace pelt {

struct Simplified {
  Mesh mesh;                                 // positions and triangles alone
  std::vector<std::uint32_t> source_vertex;  // of the surface, for every vertex; ascending
  std::vector<std::string> notes;            // one sentence each, for the report
};

// A surface welded, and, where it has more than `triangle_count` triangles, thinned to about so many by parts, each of
// which keeps its rim: in a fraction of the memory that simplify() takes, and by all threads. Every place keeps about
// the same share of its triangles. Does not depend on the number of threads (0: all cores).
Simplified thin(Mesh surface, std::size_t triangle_count, unsigned threads = 0);

// A closed or open surface as one of about `triangle_count` triangles (one or more) on some of its vertices: seams
// welded, connected parts kept while there are enough triangles, triangles without area dropped. `density`, one value
// >= 0 for each vertex of the surface, says how many times as dense triangles are to be as they are without it,
// relative to other places; empty: 1 everywhere. A ratio of 3 comes out as 2 to 3. The surface's weights are not read.
Simplified simplify(Mesh surface, std::size_t triangle_count, std::vector<float> density = {});

}  // namespace pelt
