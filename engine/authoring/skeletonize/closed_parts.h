// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <optional>
#include <utility>
#include <vector>

#include <pelt/mesh.h>

namespace pelt::skeletonize {

// The connected parts of a mesh, divided into closed and open ones. Vertices at one place count as one.
struct ClosedParts {
  std::vector<glm::uvec3> closed;  // triangles of parts in which every edge belongs to an even number of triangles
  std::vector<glm::uvec3> open;    // triangles of the other parts
  std::size_t closed_count = 0;    // number of parts
  std::size_t open_count = 0;
  // If there are open parts: an edge of an odd number of triangles, as indices of the mesh's vertices.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> open_edge;
};

// Finds the closed and open parts. Triangles with two corners at one place are ignored. Positions must be finite, and
// triangles must name vertices.
ClosedParts find_closed_parts(const Mesh& mesh);

}  // namespace pelt::skeletonize
