// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/stitch.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <pelt/tools/area.h>
#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/geometry/pieces.h"

namespace pelt {
namespace {

// Merges each vertex into the vertex that `stays` lists for it; vertices that list themselves are kept. Returns the new
// number of every old vertex.
std::vector<std::uint32_t> merge_vertices(Mesh& mesh, std::span<const std::uint32_t> stays) {
  std::vector<std::uint32_t> new_vertex(stays.size());
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < stays.size(); ++i) {
    new_vertex[i] = stays[i] == i ? static_cast<std::uint32_t>(kept.size()) : new_vertex[stays[i]];
    if (stays[i] == i) kept.push_back(i);
  }
  const auto keep = [&](auto& values) {
    if (values.empty()) return;
    for (std::size_t i = 0; i < kept.size(); ++i) values[i] = values[kept[i]];
    values.resize(kept.size());
  };
  keep(mesh.positions);
  keep(mesh.normals);
  keep(mesh.tangents);
  keep(mesh.uvs);
  mesh.morph_targets.clear();
  mesh.attributes.clear();
  const SparseRows weights = std::exchange(mesh.weights, {});
  if (weights.row_count() > 0) {
    for (const std::uint32_t i : kept) mesh.weights.append_row(weights.row(i));
  }
  for (glm::uvec3& t : mesh.triangles) t = {new_vertex[t.x], new_vertex[t.y], new_vertex[t.z]};
  return new_vertex;
}

// ---------------------------------------------------------------------------------------------------------- seams

// A vertex near the inside of a border edge.
struct Beside {
  double distance;
  std::size_t edge;  // index in the list of border edges
  double t;          // position along the edge, 0 to 1
};

class SeamCloser {
 public:
  SeamCloser(Stitched& stitched, float distance)
      : stitched_(stitched),
        positions_(stitched.mesh.positions),
        distance_(distance),
        least_(least_area(stitched.mesh)),
        axis_(bounds_of<glm::vec3>(std::span<const glm::vec3>(positions_)).longest_axis()) {}

  void close() {
    drop_degenerate();
    while (split_once()) drop_degenerate();
  }

 private:
  void drop_degenerate() {
    std::vector<std::uint32_t>& sources = stitched_.source_triangle;
    const std::vector<std::uint32_t> solid = drop_flat(positions_, stitched_.mesh.triangles, least_);
    for (std::size_t i = 0; i < solid.size(); ++i) sources[i] = sources[solid[i]];
    sources.resize(solid.size());
  }

  // Returns true if any triangle was split. Every vertex splits the edge that it is closest to, and a triangle is split
  // at one edge at most. An edge that equals a part of another edge, split in this round, is no longer a border.
  // Remaining vertices wait for the next round, so that two sides never reach across each other.
  bool split_once() {
    const std::vector<glm::uvec3> triangles = std::exchange(stitched_.mesh.triangles, {});
    const std::vector<std::uint32_t> sources = std::exchange(stitched_.source_triangle, {});
    const std::vector<BorderEdge> border = border_edges(triangles);
    const std::vector<std::vector<std::uint32_t>> inside = find_inside(triangles, sources, border);
    std::set<MeshEdge> matched;
    std::size_t edge = 0;
    for (std::uint32_t i = 0; i < triangles.size(); ++i) {
      std::size_t chosen = border.size();
      for (; edge < border.size() && border[edge].triangle == i; ++edge) {
        const bool open = !inside[edge].empty() && !matched.contains(edge_at(triangles[i], border[edge].corner));
        if (open && chosen == border.size()) chosen = edge;
      }
      if (chosen == border.size()) {
        add(triangles[i], sources[i]);
        continue;
      }
      const int corner = border[chosen].corner;
      const std::uint32_t apex = triangles[i][(corner + 2) % 3];
      std::vector<std::uint32_t> chain = inside[chosen];
      for (const std::uint32_t vertex : chain) used_.emplace(sources[i], vertex);
      chain.push_back(triangles[i][(corner + 1) % 3]);
      std::uint32_t from = triangles[i][corner];
      for (const std::uint32_t to : chain) {
        matched.insert(std::minmax(from, to));
        add({from, to, apex}, sources[i]);
        from = to;
      }
    }
    return stitched_.mesh.triangles.size() > triangles.size();
  }

  void add(glm::uvec3 triangle, std::uint32_t source) {
    stitched_.mesh.triangles.push_back(triangle);
    stitched_.source_triangle.push_back(source);
  }

  // Returns for every border edge the border vertices that will split it, in order along it. A vertex splits an
  // original triangle only once, so the rounds end.
  std::vector<std::vector<std::uint32_t>> find_inside(std::span<const glm::uvec3> triangles,
                                                      std::span<const std::uint32_t> sources,
                                                      std::span<const BorderEdge> border) const {
    std::vector<std::pair<double, std::uint32_t>>
        sorted;  // sorted along an axis, so that an edge need not look at all of them
    for (const BorderEdge& edge : border) {
      const auto [a, b] = edge_at(triangles[edge.triangle], edge.corner);
      for (const std::uint32_t vertex : {a, b}) sorted.emplace_back(positions_[vertex][axis_], vertex);
    }
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());

    std::map<std::uint32_t, Beside> closest;  // keyed by vertex
    for (std::size_t e = 0; e < border.size(); ++e) {
      const glm::uvec3 triangle = triangles[border[e].triangle];
      const glm::dvec3 from(positions_[triangle[border[e].corner]]);
      const glm::dvec3 edge = glm::dvec3(positions_[triangle[(border[e].corner + 1) % 3]]) - from;
      const double low = std::min(from[axis_], from[axis_] + edge[axis_]) - distance_;
      const double high = std::max(from[axis_], from[axis_] + edge[axis_]) + distance_;
      for (auto v = std::lower_bound(sorted.begin(), sorted.end(), std::pair{low, 0u});
           v != sorted.end() && v->first <= high; ++v) {
        const std::uint32_t vertex = v->second;
        if (vertex == triangle.x || vertex == triangle.y || vertex == triangle.z) continue;
        const glm::dvec3 offset = glm::dvec3(positions_[vertex]) - from;
        const double t = glm::dot(offset, edge) / glm::dot(edge, edge);
        const double d = glm::distance(offset, t * edge);
        if (!(t > 0 && t < 1) || d > distance_ || used_.contains({sources[border[e].triangle], vertex})) continue;
        const auto [found, inserted] = closest.try_emplace(vertex, Beside{d, e, t});
        if (!inserted && d < found->second.distance) found->second = {d, e, t};
      }
    }
    std::vector<std::vector<std::pair<double, std::uint32_t>>> placed(border.size());
    for (const auto& [vertex, beside] : closest) placed[beside.edge].emplace_back(beside.t, vertex);
    std::vector<std::vector<std::uint32_t>> result(border.size());
    for (std::size_t e = 0; e < border.size(); ++e) {
      std::sort(placed[e].begin(), placed[e].end());
      for (const auto& [t, vertex] : placed[e]) result[e].push_back(vertex);
    }
    return result;
  }

  Stitched& stitched_;
  const std::vector<glm::vec3>& positions_;
  double distance_;
  double least_;
  int axis_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> used_;  // original triangle, vertex that has split it
};

}  // namespace

Stitched stitch(const Mesh& mesh, float distance) {
  assert(distance >= 0);
  Stitched result;
  result.mesh = mesh;
  for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) result.source_triangle.push_back(i);
  result.new_vertex = merge_vertices(result.mesh, weld_within(mesh.positions, distance));
  SeamCloser(result, distance).close();
  cover_pieces(result.mesh.parts, result.source_triangle);
  return result;
}

}  // namespace pelt
