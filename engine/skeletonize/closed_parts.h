// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <optional>
#include <utility>
#include <vector>

#include <pelt/mesh.h>

namespace pelt::skeletonize {

// The parts of a mesh that bound something, vertices at one place being one.
struct ClosedParts {
  std::vector<glm::uvec3> closed;  // triangles of the parts every edge of which belongs to an even number of them
  std::vector<glm::uvec3> open;    // of the other parts
  std::size_t closed_count = 0;    // parts
  std::size_t open_count = 0;
  // Where there are open parts: an edge of an odd number of triangles, by the mesh's vertices.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> open_edge;
};

// Triangles with two corners at one place count for nothing. Positions must be finite, triangles name vertices.
ClosedParts find_closed_parts(const Mesh& mesh);

}  // namespace pelt::skeletonize
