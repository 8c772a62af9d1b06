// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/model/mesh.h"

namespace pelt::surface_ffd {

struct Simplified {
  Mesh mesh;                       // positions and triangles alone
  std::vector<std::string> notes;  // one sentence each, for the report
};

// A closed or open surface as one of about `triangle_count` even triangles (one or more) on vertices of its own: seams
// welded, connected parts kept while there are enough triangles, triangles without area dropped.
Simplified simplify(const Mesh& surface, std::size_t triangle_count);

}  // namespace pelt::surface_ffd
