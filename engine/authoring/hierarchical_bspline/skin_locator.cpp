// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/skin_locator.h"

#include <algorithm>
#include <cmath>

#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/geometry/bounds.h"

namespace pelt::hierarchical_bspline {
namespace {

constexpr double kCellEdges = 2.5;  // width of a cell between frames, in edges of the skin
constexpr double kMaxPerSpan = 16;  // frames per span, if bind chooses their number

}  // namespace

std::optional<std::uint32_t> Frames::at(Key key, const std::function<std::vector<Share>()>& shares) {
  const auto [known, added] = numbers_.emplace(key, std::nullopt);
  if (!added) return known->second;
  const std::vector<Share> frame_shares = shares();
  if (pass_.has_frame(frame_shares)) known->second = pass_.add(frame_shares);
  return known->second;
}

std::vector<std::uint32_t> weld_sides(std::span<const glm::vec3> positions) {
  constexpr float kSides = 1e-4f;
  return weld_within(positions, kSides * glm::length(bounds_of<glm::vec3>(positions).size()));
}

double cells_of_span(double length, double skin_edge) {
  if (!(skin_edge > 0)) return 1;
  const double wanted = length / (kCellEdges * skin_edge);
  // Overlays that the skin should follow are at least as fine as the finest level.
  return std::clamp(std::exp2(std::round(std::log2(std::max(wanted, 1e-6)))), 1.0, kMaxPerSpan);
}

double mean_edge(const DeformerInput& input) {
  double sum = 0;
  std::size_t count = 0;
  for (const DeformerTarget& target : full_detail(input)) {
    const Mesh& mesh = mesh_of(input, target);
    for (const glm::uvec3 triangle : mesh.triangles) {
      for (int c = 0; c < 3; ++c) {
        sum += glm::distance(mesh.positions[triangle[c]], mesh.positions[triangle[(c + 1) % 3]]);
        ++count;
      }
    }
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

double mean_edge(const Polygons& faces, std::span<const glm::dvec3> control) {
  double sum = 0;
  double count = 0;
  for (const std::vector<std::uint32_t>& face : faces) {
    for (std::size_t c = 0; c < face.size(); ++c) {
      sum += glm::distance(control[face[c]], control[face[(c + 1) % face.size()]]);
      ++count;
    }
  }
  return sum / count;
}

}  // namespace pelt::hierarchical_bspline
