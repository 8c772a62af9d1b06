// SPDX-License-Identifier: MIT
// Connectivity of a triangle mesh, across its seams.
#pragma once

#include <algorithm>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <utility>
#include <vector>

#include <pelt/tools/weld.h>

namespace pelt {

// Returns for every vertex the closest earlier kept vertex within `distance` (metres; 0: weld_by_position). Kept
// vertices have their own index and are farther apart than `distance`, so a row of near vertices does not collapse into
// one.
std::vector<std::uint32_t> weld_within(std::span<const glm::vec3> positions, float distance);

// Returns the triangles with the vertices of `welded`.
std::vector<glm::uvec3> welded_triangles(std::span<const std::uint32_t> welded, std::span<const glm::uvec3> triangles);

using MeshEdge = std::pair<std::uint32_t, std::uint32_t>;  // ascending

// Returns the edge of a triangle from `corner` to the next corner.
inline MeshEdge edge_at(glm::uvec3 triangle, int corner) {
  return std::minmax(triangle[corner], triangle[(corner + 1) % 3]);
}

// Returns all edges of triangles, sorted; an edge of n triangles is listed n times.
std::vector<MeshEdge> edge_uses(std::span<const glm::uvec3> triangles);

// Returns each edge once, sorted.
std::vector<MeshEdge> unique_edges(std::span<const glm::uvec3> triangles);

// Returns the edges of triangles over welded vertices (weld_by_position), in both directions, sorted, each once. The
// neighbours of a vertex are consecutive.
std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_both_ways(std::span<const std::uint32_t> welded,
                                                                     std::span<const glm::uvec3> triangles);

// An edge of only one triangle: from `corner` of the triangle to the next corner.
struct BorderEdge {
  std::uint32_t triangle;
  int corner;
};

// Returns the border edges in the order of triangle and corner.
std::vector<BorderEdge> border_edges(std::span<const glm::uvec3> triangles);

// Returns for every vertex the lowest one that triangles connect it to; a vertex without triangles has its own index.
std::vector<std::uint32_t> connected_parts(std::size_t vertex_count, std::span<const glm::uvec3> triangles);

}  // namespace pelt
