// SPDX-License-Identifier: MIT
// Meshes whose edges are shared by two triangles at most, which wind alike.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace pelt {

struct Manifold {
  std::vector<glm::uvec3> triangles;
  std::vector<std::uint32_t> source;  // of each vertex, the vertex of the mesh that it is a copy of
};

// Cuts a mesh apart where it is none: sheets that touch along an edge or at a vertex get vertices of their own, and a
// triangle that still winds against a neighbour gets its own three. Vertices that are left keep their order.
Manifold manifold_of(std::span<const glm::uvec3> triangles);

}  // namespace pelt
