// SPDX-License-Identifier: MIT
#include "engine/curve_skeleton/relax.h"

#include <algorithm>
#include <cmath>

#include "engine/model/parts.h"

namespace pelt::curve_skeleton {
namespace {

constexpr float kSteepest = 2.5f;
constexpr int kGrowths = 24;        // times that the changed region may grow by the edges still too steep
constexpr int kSweepsAGrowth = 20;  // of Gauss and Seidel
constexpr int kLastSweeps = 200;
constexpr int kSofteningRings = 4;  // round the changed region, across which its edge is softened
constexpr int kSofteningSweeps = 8;
constexpr int kMostSmoothing = 64;

}  // namespace

Surface::Surface(const Mesh& mesh)
    : positions_(mesh.positions),
      welded_(weld_by_position(mesh.positions)),
      edges_(edges_both_ways(welded_, mesh.triangles)),
      first_edge_(mesh.positions.size() + 1, 0) {
  for (const auto& edge : edges_) ++first_edge_[edge.first + 1];
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) first_edge_[v + 1] += first_edge_[v];
  closeness_.reserve(edges_.size());
  for (const auto& edge : edges_) {
    const float length = glm::distance(positions_[edge.first], positions_[edge.second]);
    mean_edge_ += length;
    closeness_.push_back(1 / std::max(length, 1e-12f));
  }
  mean_edge_ /= static_cast<double>(std::max<std::size_t>(edges_.size(), 1));
}

std::span<const std::pair<std::uint32_t, std::uint32_t>> Surface::neighbours(std::uint32_t vertex) const {
  const std::uint32_t own = welded_[vertex];
  return std::span(edges_).subspan(first_edge_[own], first_edge_[own + 1] - first_edge_[own]);
}

std::vector<bool> Surface::relax(std::span<const std::uint8_t> defined, std::span<float> s,
                                 std::span<float> other) const {
  std::vector<bool> changed(vertex_count(), false);
  std::vector<std::uint32_t> region;
  const auto grow = [&] {
    const std::size_t before = region.size();
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const auto& edge = edges_[e];
      if (!defined[edge.first] || !defined[edge.second]) continue;
      if (!(std::abs(s[edge.first] - s[edge.second]) * closeness_[e] > kSteepest)) continue;
      for (const std::uint32_t end : {edge.first, edge.second}) {
        if (!changed[end]) region.push_back(end);
        changed[end] = true;
      }
    }
    return region.size() > before;
  };
  const auto sweep = [&] {
    for (const std::uint32_t vertex : region) {
      double weights = 0;
      double sum = 0;
      double other_sum = 0;
      for (std::size_t e = first_edge_[vertex]; e < first_edge_[vertex + 1]; ++e) {
        const std::uint32_t next = edges_[e].second;
        if (!defined[next]) continue;
        const double weight = closeness_[e];
        weights += weight;
        sum += weight * s[next];
        other_sum += weight * other[next];
      }
      if (weights > 0) {
        s[vertex] = static_cast<float>(sum / weights);
        other[vertex] = static_cast<float>(other_sum / weights);
      }
    }
  };
  for (int growth = 0; growth < kGrowths && grow(); ++growth) {
    for (int k = 0; k < kSweepsAGrowth; ++k) sweep();
  }
  for (int k = 0; k < kLastSweeps && !region.empty(); ++k) sweep();
  for (int ring = 0; ring < kSofteningRings; ++ring) {
    for (std::size_t i = 0, count = region.size(); i < count; ++i) {
      for (const auto& edge : neighbours(region[i])) {
        if (!defined[edge.second] || changed[edge.second]) continue;
        changed[edge.second] = true;
        region.push_back(edge.second);
      }
    }
  }
  for (int k = 0; k < kSofteningSweeps && !region.empty(); ++k) sweep();
  for (std::uint32_t v = 0; v < vertex_count(); ++v) {
    const std::uint32_t own = welded_[v];
    if (!changed[own]) continue;
    changed[v] = true;
    s[v] = s[own];
    other[v] = other[own];
  }
  return changed;
}

void Surface::smooth(std::span<const std::uint8_t> defined, float width, std::span<float> values) const {
  if (!(mean_edge_ > 0)) return;
  // Steps spread as their square root.
  const double steps = (width / mean_edge_) * (width / mean_edge_);
  const int count = static_cast<int>(std::clamp(steps, 1.0, double{kMostSmoothing}));
  std::vector<float> next(values.begin(), values.end());
  for (int step = 0; step < count; ++step) {
    for (std::uint32_t v = 0; v < vertex_count(); ++v) {
      if (welded_[v] != v || !defined[v]) continue;
      double sum = values[v];
      double weight = 1;
      for (const auto& edge : neighbours(v)) {
        if (!defined[edge.second]) continue;
        sum += values[edge.second];
        weight += 1;
      }
      next[v] = static_cast<float>(sum / weight);
    }
    std::copy(next.begin(), next.end(), values.begin());
  }
  for (std::uint32_t v = 0; v < vertex_count(); ++v) values[v] = values[welded_[v]];
}

glm::vec3 Surface::gradient(std::uint32_t vertex, std::span<const std::uint8_t> defined,
                            std::span<const float> s) const {
  // Least squares over the edges; what they do not span stays small.
  glm::dmat3 squares(0.0);
  glm::dvec3 sum(0.0);
  const std::uint32_t own = welded_[vertex];
  for (const auto& edge : neighbours(vertex)) {
    if (!defined[edge.second]) continue;
    const glm::dvec3 way = glm::dvec3(positions_[edge.second]) - glm::dvec3(positions_[own]);
    squares += glm::outerProduct(way, way);
    sum += way * (double{s[edge.second]} - s[own]);
  }
  const double trace = squares[0][0] + squares[1][1] + squares[2][2];
  if (!(trace > 0)) return glm::vec3(0.0f);
  squares += glm::dmat3(1e-3 * trace);
  return glm::vec3(glm::inverse(squares) * sum);
}

}  // namespace pelt::curve_skeleton
