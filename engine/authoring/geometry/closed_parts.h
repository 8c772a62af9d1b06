// SPDX-License-Identifier: MIT
// Divides a surface into parts with an inside and sheets without one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <vector>

#include <pelt/tools/mesh_parts.h>

namespace pelt {

// The triangles of a mesh by the kind of their connected part. Vertices at the same position are one.
struct ClosedParts {
  std::vector<glm::uvec3> closed;  // parts whose every edge belongs to an even number of triangles
  std::vector<glm::uvec3> capped;  // parts with holes
  std::vector<glm::uvec3> caps;    // close these holes: triangles between the vertices of their borders
  std::vector<glm::uvec3> sheets;  // parts with a hole that is larger than most of the part
  std::size_t parts = 0;           // number of all parts
  std::size_t capped_parts = 0;    // those with caps
  std::size_t sheet_parts = 0;
  std::size_t holes = 0;               // those with caps
  std::optional<MeshEdge> open_edge;   // the first edge of an odd number of triangles, if there is one
  std::optional<MeshEdge> sheet_edge;  // the first of a sheet
};

// Finds the parts. Triangles with two corners at one position are ignored. Positions must be finite, and triangles must
// have existing vertices.
ClosedParts close_parts(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles);

// Returns edges as loops that pass no vertex twice. Each edge is listed once, sorted; every vertex must be in an even
// number of them, as for the edges of a surface with an odd number of triangles.
std::vector<std::vector<std::uint32_t>> edge_loops(std::span<const MeshEdge> edges);

// Returns triangles between the vertices of a loop, 3 or more, that close it with nearly the least area.
std::vector<glm::uvec3> cap_of(std::span<const glm::vec3> positions, std::span<const std::uint32_t> loop);

}  // namespace pelt
