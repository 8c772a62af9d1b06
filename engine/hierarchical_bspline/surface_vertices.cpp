// SPDX-License-Identifier: MIT
#include <algorithm>

#include <pelt/tools/surface_vertices.h>
#include <pelt/try.h>

#include "engine/hierarchical_bspline/levels.h"
#include "engine/hierarchical_bspline/surface.h"

namespace pelt::hierarchical_bspline {

std::vector<VertexOffset> moves_at_bind(const Surface& surface, std::uint32_t level,
                                        std::span<const VertexOffset> moves) {
  const auto first = std::ranges::find(surface.vertices(), level, &StoredVertex::level);
  std::vector<VertexOffset> result;
  for (const VertexOffset& move : moves) {
    const StoredVertex* vertex = surface.find(level, move.vertex);
    const glm::dmat3 axes = level > 0 ? at_bind(surface, vertex->reference).axes() : glm::dmat3(1.0);
    result.push_back({static_cast<std::uint32_t>(vertex - &*first), glm::vec3(axes * glm::dvec3(move.offset))});
  }
  return result;
}

Result<SurfaceVertices> surface_vertices(const HierarchicalBsplineParameters& parameters) {
  PELT_ASSIGN(const auto surface, Surface::create(parameters, "the surface"));
  SurfaceVertices result;
  for (std::uint32_t level = 0; level <= surface.finest(); ++level) {
    const auto& [u, v] = surface.grid(level).along;
    result.grids.push_back({{u.count, v.count}, {u.closed, v.closed}, 0});
    if (level >= parameters.levels.size()) {
      result.moves.emplace_back();
    } else {
      result.moves.push_back(moves_at_bind(surface, level, parameters.levels[level].moves));
    }
  }
  for (const StoredVertex& vertex : surface.vertices()) {
    ++result.grids[vertex.level].stored;
    SurfaceVertex& own = result.vertices.emplace_back();
    own.level = vertex.level;
    own.number = vertex.number;
    own.rest = vertex.rest;
    if (vertex.level > 0) own.axes = glm::mat3(at_bind(surface, vertex.reference).axes());
  }
  return result;
}

std::vector<std::uint32_t> refined_round(const SurfaceGrid& grid, std::uint32_t number) {
  std::array<std::vector<std::uint32_t>, 2> along;
  std::array<Direction, 2> refined;
  for (int d = 0; d < 2; ++d) {
    refined[d] = Direction{grid.along[d], grid.closed[d]}.refined();
    // Vertex i of a level lies at vertex 2 i - 1 of the next one, up to the smoothing.
    const std::uint32_t at = d == 0 ? number / grid.along[1] : number % grid.along[1];
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t past = 2 * at + k;  // by 2 more than the vertex
      if (refined[d].closed) {
        along[d].push_back((past + refined[d].count - 2) % refined[d].count);
      } else if (past >= 2 && past - 2 < refined[d].count) {
        along[d].push_back(past - 2);
      }
    }
  }
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t i : along[0]) {
    for (const std::uint32_t j : along[1]) numbers.push_back(Grid{refined}.number(i, j));
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace pelt::hierarchical_bspline
