// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/manifold.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/geometry/roots.h"

namespace pelt {
namespace {

// A triangle at an edge: its corners, as triangle * 3 + corner, at the edge's lower and at its higher vertex.
struct Side {
  std::uint32_t low;
  std::uint32_t high;
  bool forwards;  // winds from the lower vertex to the higher one
};

std::map<MeshEdge, std::vector<Side>> sides_of(std::span<const glm::uvec3> triangles) {
  std::map<MeshEdge, std::vector<Side>> sides;
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (std::uint32_t c = 0; c < 3; ++c) {
      const std::uint32_t here = 3 * t + c;
      const std::uint32_t next = 3 * t + (c + 1) % 3;
      const bool forwards = triangles[t][static_cast<int>(c)] < triangles[t][static_cast<int>((c + 1) % 3)];
      sides[edge_at(triangles[t], static_cast<int>(c))].push_back(
          {forwards ? here : next, forwards ? next : here, forwards});
    }
  }
  return sides;
}

// Returns sets of corners, one for each sheet that has the vertex. If an edge has too many sides, joins only those that
// are already one sheet around a vertex of the edge.
Roots sheets_of(std::span<const glm::uvec3> triangles) {
  const std::map<MeshEdge, std::vector<Side>> sides = sides_of(triangles);
  Roots sheets(3 * triangles.size());
  const auto join = [&](const Side& a, const Side& b) {
    sheets.join(a.low, b.low);
    sheets.join(a.high, b.high);
  };
  for (const auto& [edge, at_edge] : sides) {
    if (at_edge.size() == 2 && at_edge[0].forwards != at_edge[1].forwards) join(at_edge[0], at_edge[1]);
  }
  for (const auto& [edge, at_edge] : sides) {
    if (at_edge.size() < 3) continue;
    std::vector<bool> taken(at_edge.size(), false);
    for (std::size_t a = 0; a < at_edge.size(); ++a) {
      for (std::size_t b = a + 1; b < at_edge.size() && !taken[a]; ++b) {
        const bool one = sheets.of(at_edge[a].low) == sheets.of(at_edge[b].low) ||
                         sheets.of(at_edge[a].high) == sheets.of(at_edge[b].high);
        if (taken[b] || at_edge[a].forwards == at_edge[b].forwards || !one) continue;
        taken[a] = taken[b] = true;
        join(at_edge[a], at_edge[b]);
      }
    }
  }
  return sheets;
}

// Renumbers the vertices in triangles by their sources, then by their old numbers.
void number_vertices(Manifold& mesh) {
  std::vector<std::uint32_t> order;
  for (const glm::uvec3 t : mesh.triangles) order.insert(order.end(), {t.x, t.y, t.z});
  std::ranges::sort(order, {}, [&](std::uint32_t v) { return std::pair(mesh.source[v], v); });
  order.erase(std::unique(order.begin(), order.end()), order.end());
  std::vector<std::uint32_t> number(mesh.source.size());
  std::vector<std::uint32_t> source;
  for (const std::uint32_t v : order) {
    number[v] = static_cast<std::uint32_t>(source.size());
    source.push_back(mesh.source[v]);
  }
  for (glm::uvec3& t : mesh.triangles) t = {number[t.x], number[t.y], number[t.z]};
  mesh.source = std::move(source);
}

}  // namespace

Manifold manifold_of(std::span<const glm::uvec3> triangles) {
  Roots sheets = sheets_of(triangles);
  Manifold result;  // its vertices are corners of the mesh
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (int c = 0; c < 3; ++c) result.source.push_back(triangles[t][c]);
    result.triangles.emplace_back(sheets.of(3 * t), sheets.of(3 * t + 1), sheets.of(3 * t + 2));
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> used;
  for (glm::uvec3& t : result.triangles) {
    bool free = true;
    for (int c = 0; c < 3; ++c) free = free && !used.contains({t[c], t[(c + 1) % 3]});
    for (int c = 0; !free && c < 3; ++c) {
      result.source.push_back(result.source[t[c]]);
      t[c] = static_cast<std::uint32_t>(result.source.size()) - 1;
    }
    for (int c = 0; c < 3; ++c) used.emplace(t[c], t[(c + 1) % 3]);
  }
  number_vertices(result);
  return result;
}

}  // namespace pelt
