// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <unordered_map>

#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/base/stop.h"
#include "engine/authoring/geometry/roots.h"

namespace pelt {
namespace {

// Cells of space, as integers in doubles. If they are too large to differ from their neighbours, the coordinates are
// too coarse for different vertices to be near each other.
using Cell = std::array<double, 3>;

// Width of a cell, in distances: most vertices then have no other cell within the distance.
constexpr double kCellWidth = 4;

struct CellHash {
  std::size_t operator()(const Cell& cell) const {
    std::uint64_t result = 0;
    for (const double c : cell) {
      result = (result ^ std::bit_cast<std::uint64_t>(c + 0.0)) * 0x9E3779B97F4A7C15u;  // -0 becomes 0
      result ^= result >> 32;
    }
    return static_cast<std::size_t>(result);
  }
};

// Returns the edges from a to b for which each(visit) calls visit(a, b), in the same order every time: sorted, each
// once. `count`: number of vertices.
template <class Each>
std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted_by_vertex(std::size_t count, const Each& each) {
  std::vector<std::size_t> ends(count + 1, 0);
  each([&](std::uint32_t a, std::uint32_t) { ++ends[a + 1]; });
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges(ends.back());
  each([&](std::uint32_t a, std::uint32_t b) { edges[ends[a]++] = {a, b}; });
  auto begin = edges.begin();
  for (std::size_t v = 0; v < count; ++v) {
    const auto end = edges.begin() + static_cast<std::ptrdiff_t>(ends[v]);
    std::sort(begin, end);
    begin = end;
  }
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace

std::vector<std::uint32_t> weld_within(std::span<const glm::vec3> positions, float distance) {
  if (distance == 0) return weld_by_position(positions);
  std::unordered_map<Cell, std::vector<std::uint32_t>, CellHash> staying;
  std::vector<std::uint32_t> result;
  const auto cell_of = [&](const glm::dvec3& place) { return glm::floor(place / (kCellWidth * double{distance})); };
  for (std::uint32_t i = 0; i < positions.size(); ++i) {
    stop_if_asked();
    const glm::dvec3 place(positions[i]);
    const glm::dvec3 low = cell_of(place - double{distance});
    const glm::bvec3 is_one = glm::equal(low, cell_of(place + double{distance}));
    double least = std::numeric_limits<double>::infinity();
    std::uint32_t closest = i;
    for (int n = 0; n < 8; ++n) {
      const glm::ivec3 beside(n & 1, n >> 1 & 1, n >> 2);
      if (glm::any(glm::lessThan(glm::ivec3(glm::not_(is_one)), beside))) continue;
      const auto cell = staying.find({low.x + beside.x, low.y + beside.y, low.z + beside.z});
      if (cell == staying.end()) continue;
      for (const std::uint32_t other : cell->second) {
        const double d = glm::distance(place, glm::dvec3(positions[other]));
        if (d > distance || d > least || (d == least && other > closest)) continue;
        least = d;
        closest = other;
      }
    }
    if (closest == i) {
      const glm::dvec3 cell = cell_of(place);
      staying[{cell.x, cell.y, cell.z}].push_back(i);
    }
    result.push_back(closest);
  }
  return result;
}

std::vector<glm::uvec3> welded_triangles(std::span<const std::uint32_t> welded, std::span<const glm::uvec3> triangles) {
  std::vector<glm::uvec3> result;
  result.reserve(triangles.size());
  for (const glm::uvec3 t : triangles) result.emplace_back(welded[t.x], welded[t.y], welded[t.z]);
  return result;
}

std::vector<MeshEdge> edge_uses(std::span<const glm::uvec3> triangles) {
  std::vector<MeshEdge> edges;
  edges.reserve(3 * triangles.size());
  for (const glm::uvec3 t : triangles) {
    for (int corner = 0; corner < 3; ++corner) edges.push_back(edge_at(t, corner));
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

std::vector<MeshEdge> unique_edges(std::span<const glm::uvec3> triangles) {
  std::vector<MeshEdge> edges = edge_uses(triangles);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_both_ways(std::span<const std::uint32_t> welded,
                                                                     std::span<const glm::uvec3> triangles) {
  return sorted_by_vertex(welded.size(), [&](const auto& visit) {
    for (const glm::uvec3 t : triangles) {
      for (int corner = 0; corner < 3; ++corner) {
        const std::uint32_t a = welded[t[corner]];
        const std::uint32_t b = welded[t[(corner + 1) % 3]];
        visit(a, b);
        visit(b, a);
      }
    }
  });
}

std::vector<BorderEdge> border_edges(std::span<const glm::uvec3> triangles) {
  std::vector<std::pair<MeshEdge, BorderEdge>> uses;
  for (std::uint32_t i = 0; i < triangles.size(); ++i) {
    for (int corner = 0; corner < 3; ++corner) uses.push_back({edge_at(triangles[i], corner), {i, corner}});
  }
  std::sort(uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<BorderEdge> result;
  for (std::size_t i = 0; i < uses.size();) {
    std::size_t end = i;
    while (end < uses.size() && uses[end].first == uses[i].first) ++end;
    if (end == i + 1) result.push_back(uses[i].second);
    i = end;
  }
  std::sort(result.begin(), result.end(), [](const BorderEdge& a, const BorderEdge& b) {
    return std::pair(a.triangle, a.corner) < std::pair(b.triangle, b.corner);
  });
  return result;
}

std::vector<std::uint32_t> connected_parts(std::size_t vertex_count, std::span<const glm::uvec3> triangles) {
  Roots parts(vertex_count);
  for (const glm::uvec3 t : triangles) {
    parts.join(t.x, t.y);
    parts.join(t.x, t.z);
  }
  std::vector<std::uint32_t> result(vertex_count);
  for (std::uint32_t v = 0; v < vertex_count; ++v) result[v] = parts.of(v);
  return result;
}

}  // namespace pelt
