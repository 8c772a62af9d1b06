// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "engine/authoring/geometry/edge_rings.h"

namespace pelt {

// Shortest distances along the edges of a mesh (Dijkstra 1959). Keeps a reference to the positions.
class EdgeDistances {
 public:
  static constexpr double kFar = std::numeric_limits<double>::infinity();
  using Start = std::pair<std::uint32_t, double>;  // a vertex and its initial distance, metres

  // Vertices with the same `welded` number (weld_by_position) count as one, under that number.
  EdgeDistances(std::span<const glm::vec3> positions, std::span<const std::uint32_t> welded,
                std::span<const glm::uvec3> triangles);

  // Finds the distances from the nearest start, up to `most` metres, and discards those of the previous call.
  void flood(std::span<const Start> starts, double most = kFar);

  // Returns the distance of a welded vertex, metres; kFar: it was not reached.
  double operator[](std::uint32_t vertex) const { return distances_[vertex]; }
  std::span<const std::uint32_t> reached() const { return reached_; }  // in any order

 private:
  std::span<const glm::vec3> positions_;
  EdgeRings rings_;
  std::vector<double> distances_;
  std::vector<std::uint32_t> reached_;
};

}  // namespace pelt
