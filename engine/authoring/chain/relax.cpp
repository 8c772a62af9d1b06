// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/relax.h"

#include <algorithm>
#include <cmath>

namespace pelt::chain {
namespace {

constexpr float kSteepest = 2.5f;
constexpr int kGrowths = 24;  // how often the changed region may grow across edges that are still too steep

}  // namespace

Surface::Surface(const Mesh& mesh, std::vector<std::uint32_t> welded)
    : positions_(mesh.positions),
      heat_(mesh.positions, mesh.triangles, std::move(welded)),
      rings_(heat_.welded(), mesh.triangles) {
  closeness_.reserve(rings_.edges().size());
  for (const auto& edge : rings_.edges()) {
    const float length = glm::distance(positions_[edge.first], positions_[edge.second]);
    closeness_.push_back(1 / std::max(length, 1e-12f));
  }
}

std::vector<std::uint8_t> Surface::relax(std::span<const std::uint8_t> defined, std::span<float> s,
                                         std::span<float> other) const {
  std::vector<std::uint8_t> changed(vertex_count(), 0);
  std::vector<std::uint8_t> known(vertex_count(), SurfaceHeat::kAside);
  for (std::uint32_t v = 0; v < vertex_count(); ++v) {
    if (defined[v]) known[v] = SurfaceHeat::kKnown;
  }
  for (int growth = 0; growth < kGrowths; ++growth) {
    bool grown = false;
    for (std::size_t e = 0; e < closeness_.size(); ++e) {
      const auto& edge = rings_.edges()[e];
      if (!defined[edge.first] || !defined[edge.second]) continue;
      if (!(std::abs(s[edge.first] - s[edge.second]) * closeness_[e] > kSteepest)) continue;
      for (const std::uint32_t end : {edge.first, edge.second}) {
        grown |= !changed[end];
        changed[end] = 1;
        known[end] = SurfaceHeat::kUnknown;
      }
    }
    if (!grown) break;
    heat_.fill(known, {s, other});
  }
  for (std::uint32_t v = 0; v < vertex_count(); ++v) changed[v] = changed[heat_.welded()[v]];
  return changed;
}

glm::vec3 Surface::gradient(std::uint32_t vertex, std::span<const std::uint8_t> defined,
                            std::span<const float> s) const {
  // Least squares over the edges. The gradient stays small in directions that they do not span.
  glm::dmat3 squares(0.0);
  glm::dvec3 sum(0.0);
  const std::uint32_t welded = heat_.welded()[vertex];
  for (const auto& edge : rings_.from(welded)) {
    if (!defined[edge.second]) continue;
    const glm::dvec3 way = glm::dvec3(positions_[edge.second]) - glm::dvec3(positions_[welded]);
    squares += glm::outerProduct(way, way);
    sum += way * (double{s[edge.second]} - s[welded]);
  }
  const double trace = squares[0][0] + squares[1][1] + squares[2][2];
  if (!(trace > 0)) return glm::vec3(0.0f);
  squares += glm::dmat3(1e-3 * trace);
  return glm::vec3(glm::inverse(squares) * sum);
}

}  // namespace pelt::chain
