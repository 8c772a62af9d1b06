// SPDX-License-Identifier: MIT
#include <algorithm>

#include <pelt/tools/check_figures.h>
#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/check/anatomy.h"

namespace pelt {

void LinearReference::find_hinges(std::span<const glm::vec3> rest) {
  constexpr double kSliver = 0.02;  // twice the area of thinner triangles, over the square of their longest edge
  struct Use {
    MeshEdge edge;
    std::uint32_t triangle;
    int corner;
    bool forward;
  };
  const std::vector<std::uint32_t> welded = weld_by_position(rest);
  std::vector<Use> uses;
  std::vector<glm::dvec3> normals;
  for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
    const glm::uvec3 corners = triangles_[t];
    const glm::uvec3 ends(welded[corners.x], welded[corners.y], welded[corners.z]);
    const glm::dvec3 a(rest[corners.x]), b(rest[corners.y]), c(rest[corners.z]);
    const double longest = std::max({glm::distance(a, b), glm::distance(b, c), glm::distance(c, a)});
    const glm::dvec3 normal = glm::cross(b - a, c - a);
    normals.push_back(glm::length(normal) > kSliver * longest * longest ? normal : glm::dvec3(0));
    for (int corner = 0; corner < 3; ++corner) {
      uses.push_back({edge_at(ends, corner), t, corner, ends[corner] < ends[(corner + 1) % 3]});
    }
  }
  std::ranges::stable_sort(uses, {}, &Use::edge);
  for (std::size_t first = 0, next = 0; first < uses.size(); first = next) {
    while (next < uses.size() && uses[next].edge == uses[first].edge) ++next;
    if (next - first != 2 || uses[first].forward == uses[first + 1].forward) continue;
    const auto [edge, t, corner, forward] = uses[first];
    const glm::dvec3 normal = normals[t], other = normals[uses[first + 1].triangle];
    if (normal == glm::dvec3(0) || other == glm::dvec3(0)) continue;
    hinges_.push_back({{t, uses[first + 1].triangle},
                       triangles_[t][corner],
                       static_cast<float>(distance(rest[edge.first], rest[edge.second])),
                       static_cast<float>(degrees_between(normal, other))});
  }
}

}  // namespace pelt
