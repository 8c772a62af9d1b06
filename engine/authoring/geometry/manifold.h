// SPDX-License-Identifier: MIT
// Meshes in which at most two triangles share an edge, with the same winding.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace pelt {

struct Manifold {
  std::vector<glm::uvec3> triangles;
  std::vector<std::uint32_t> source;  // for each vertex, the vertex of the mesh that it copies
};

// Cuts a mesh into a manifold: sheets that touch along an edge or at a vertex receive their own vertices, and a
// triangle that still winds against a neighbour receives three. The other vertices keep their order.
Manifold manifold_of(std::span<const glm::uvec3> triangles);

}  // namespace pelt
