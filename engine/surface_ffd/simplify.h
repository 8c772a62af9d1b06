// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/model/mesh.h"

namespace pelt::surface_ffd {

struct Simplified {
  Mesh mesh;                       // positions and triangles alone
  std::vector<std::string> notes;  // one sentence each, for the report
};

// A closed or open surface as one of about `triangle_count` triangles (one or more) on vertices of its own: seams
// welded, connected parts kept while there are enough triangles, triangles without area dropped. `density`, one value
// >= 0 for each vertex of the surface, says how many times as dense triangles are to be as they are without it,
// relative to other places; empty: 1 everywhere. A ratio of 3 comes out as 2 to 3. The surface's weights are not read.
Simplified simplify(const Mesh& surface, std::size_t triangle_count, std::span<const float> density = {});

}  // namespace pelt::surface_ffd
