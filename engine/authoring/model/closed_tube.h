// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <vector>

namespace pelt {

// Returns the triangles of a tube that is closed at both ends: a first vertex, `rings` of `around` vertices each, and a
// last vertex. They face outward if each ring turns counterclockwise as seen from the last vertex.
inline std::vector<glm::uvec3> closed_tube(std::uint32_t rings, std::uint32_t around) {
  std::vector<glm::uvec3> triangles;
  const auto vertex = [&](std::uint32_t ring, std::uint32_t i) { return 1 + ring * around + i % around; };
  for (std::uint32_t i = 0; i < around; ++i) triangles.emplace_back(0u, vertex(0, i + 1), vertex(0, i));
  for (std::uint32_t ring = 0; ring + 1 < rings; ++ring) {
    for (std::uint32_t i = 0; i < around; ++i) {
      triangles.emplace_back(vertex(ring, i), vertex(ring, i + 1), vertex(ring + 1, i + 1));
      triangles.emplace_back(vertex(ring, i), vertex(ring + 1, i + 1), vertex(ring + 1, i));
    }
  }
  for (std::uint32_t i = 0; i < around; ++i) {
    triangles.emplace_back(1 + rings * around, vertex(rings - 1, i), vertex(rings - 1, i + 1));
  }
  return triangles;
}

}  // namespace pelt
