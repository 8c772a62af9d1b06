// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <utility>
#include <vector>

#include <pelt/tools/mesh_parts.h>

namespace pelt {

// The edges around every vertex of a mesh. Vertices with the same `welded` number (weld_by_position) count as one,
// under that number.
class EdgeRings {
 public:
  using Edge = std::pair<std::uint32_t, std::uint32_t>;  // from a vertex to a neighbour

  EdgeRings(std::span<const std::uint32_t> welded, std::span<const glm::uvec3> triangles)
      : edges_(edges_both_ways(welded, triangles)), first_(welded.size() + 1, 0) {
    for (const Edge& edge : edges_) ++first_[edge.first + 1];
    for (std::size_t v = 0; v < welded.size(); ++v) first_[v + 1] += first_[v];
  }

  std::span<const Edge> edges() const { return edges_; }  // in both directions, sorted

  std::span<const Edge> from(std::uint32_t vertex) const {
    return std::span(edges_).subspan(first_[vertex], first_[vertex + 1] - first_[vertex]);
  }

 private:
  std::vector<Edge> edges_;
  std::vector<std::size_t> first_;  // index of each vertex's first edge; one more at the end
};

}  // namespace pelt
