// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/tools/mesh_parts.h>

namespace pelt::test {

// Returns the number of connected parts; a vertex without triangles is one.
inline std::size_t part_count(std::size_t vertex_count, std::span<const glm::uvec3> triangles) {
  const std::vector<std::uint32_t> part = connected_parts(vertex_count, triangles);
  std::size_t count = 0;
  for (std::uint32_t v = 0; v < part.size(); ++v) count += part[v] == v ? 1 : 0;
  return count;
}

}  // namespace pelt::test
