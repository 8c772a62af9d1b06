// SPDX-License-Identifier: MIT
#include "engine/geometry/edge_distances.h"

#include <functional>
#include <queue>

#include <pelt/tools/mesh_parts.h>

namespace pelt {

EdgeDistances::EdgeDistances(std::span<const glm::vec3> positions, std::span<const std::uint32_t> welded,
                             std::span<const glm::uvec3> triangles)
    : positions_(positions),
      edges_(edges_both_ways(welded, triangles)),
      first_edge_(positions.size() + 1, 0),
      distances_(positions.size(), kFar) {
  for (const auto& [from, to] : edges_) ++first_edge_[from + 1];
  for (std::size_t v = 0; v < positions.size(); ++v) first_edge_[v + 1] += first_edge_[v];
}

void EdgeDistances::flood(std::span<const Start> starts, double most) {
  for (const std::uint32_t vertex : reached_) distances_[vertex] = kFar;
  reached_.clear();
  using Open = std::pair<double, std::uint32_t>;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
  const auto reach = [&](std::uint32_t vertex, double distance) {
    if (distance > most || distance >= distances_[vertex]) return;
    if (distances_[vertex] == kFar) reached_.push_back(vertex);
    distances_[vertex] = distance;
    open.emplace(distance, vertex);
  };
  for (const auto& [vertex, distance] : starts) reach(vertex, distance);
  while (!open.empty()) {
    const auto [distance, vertex] = open.top();
    open.pop();
    if (distance > distances_[vertex]) continue;
    for (std::size_t e = first_edge_[vertex]; e < first_edge_[vertex + 1]; ++e) {
      const std::uint32_t other = edges_[e].second;
      reach(other, distance + glm::distance(glm::dvec3(positions_[vertex]), glm::dvec3(positions_[other])));
    }
  }
}

}  // namespace pelt
