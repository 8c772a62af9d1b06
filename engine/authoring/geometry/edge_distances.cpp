// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/edge_distances.h"

#include <functional>
#include <queue>

namespace pelt {

EdgeDistances::EdgeDistances(std::span<const glm::vec3> positions, std::span<const std::uint32_t> welded,
                             std::span<const glm::uvec3> triangles)
    : positions_(positions), rings_(welded, triangles), distances_(positions.size(), kFar) {}

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
    for (const auto& [from, to] : rings_.from(vertex)) {
      reach(to, distance + glm::distance(glm::dvec3(positions_[from]), glm::dvec3(positions_[to])));
    }
  }
}

}  // namespace pelt
