// SPDX-License-Identifier: MIT
// The triangles round each vertex, from which shaders/tension/ finds how far the skin is stretched.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace pelt {

//   slices  ceil(n/32)+1   first word of slice s in `words`
//   words                  slice s holds 32 rings of one length, column-major: fans (shared::kRingCentre), filled up
//                          with the vertex itself as a centre. A ring has at most kMaxRingTriangles.
struct TensionRings {
  std::vector<std::uint32_t> slices;
  std::vector<std::uint32_t> words;
};

inline constexpr std::size_t kMaxRingTriangles = 64;

// Vertices at the same position share their triangles, so that seams do not show.
TensionRings tension_rings(std::span<const glm::vec3> points, std::span<const glm::uvec3> triangles);

}  // namespace pelt
