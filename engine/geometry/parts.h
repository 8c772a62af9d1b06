// SPDX-License-Identifier: MIT
// How a triangle mesh hangs together, whatever its seams.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <utility>
#include <vector>

#include "engine/geometry/weld.h"

namespace pelt {

// For every vertex the closest one before it that stays and is not farther away than `distance` (metres; 0:
// weld_by_position). Those that stay name themselves and are farther apart, so that a row of near vertices is not drawn
// together into one.
std::vector<std::uint32_t> weld_within(std::span<const glm::vec3> positions, float distance);

// The edges of triangles over vertices that `welded` (weld_by_position) makes one: both ways, sorted, each once. The
// neighbours of a vertex are a run.
std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_both_ways(std::span<const std::uint32_t> welded,
                                                                     std::span<const glm::uvec3> triangles);

// An edge of one triangle alone: from `corner` of the triangle to the next.
struct BorderEdge {
  std::uint32_t triangle;
  int corner;
};

// By triangle and corner.
std::vector<BorderEdge> border_edges(std::span<const glm::uvec3> triangles);

// For every vertex the lowest one that it is connected to by triangles; a vertex of no triangle names itself.
std::vector<std::uint32_t> connected_parts(std::size_t vertex_count, std::span<const glm::uvec3> triangles);

}  // namespace pelt
