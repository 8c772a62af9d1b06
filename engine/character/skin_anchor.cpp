// SPDX-License-Identifier: MIT
#include "engine/character/skin_anchor.h"

#include <algorithm>

#include "engine/character/triangle.h"

namespace pelt {

SkinAnchor anchor_on_triangle(std::span<const glm::vec3> points, glm::uvec3 v, glm::vec3 shares) {
  SkinAnchor anchor;
  float longest = -1;
  for (int i = 0; i < 3; ++i) {
    const glm::ivec3 corner(i, (i + 1) % 3, (i + 2) % 3);
    const float length = glm::distance(points[v[corner.x]], points[v[corner.y]]);
    if (length <= longest) continue;
    longest = length;
    anchor.vertices = {v[corner.x], v[corner.y], v[corner.z]};
    anchor.shares = {shares[corner.x], shares[corner.y], shares[corner.z]};
  }
  if (longest > 0) return anchor;
  return {.vertices = glm::uvec3(anchor.vertices.x)};
}

std::optional<NearestPoint> nearest_on(std::span<const glm::vec3> points, std::span<const glm::uvec3> triangles,
                                       const glm::dvec3& position) {
  std::optional<NearestPoint> nearest;
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    const glm::uvec3& v = triangles[t];
    const Corners corners{points[v.x], points[v.y], points[v.z]};
    const glm::dvec3 on = nearest_on_triangle(corners, position);
    const double distance = glm::distance(corners.point(on), position);
    if (!nearest || distance < nearest->distance) nearest = {t, glm::vec3(on), distance};
  }
  return nearest;
}

void move_anchor(const CharacterMesh& from, const CharacterMesh& to, SkinAnchor& anchor) {
  glm::dvec3 position(0);
  for (int i = 0; i < 3; ++i) {
    position += static_cast<double>(anchor.shares[i]) * glm::dvec3(from.binding.points[anchor.vertices[i]]);
  }
  SkinAnchor moved;
  const std::vector<glm::vec3>& points = to.binding.points;
  if (const auto nearest = nearest_on(points, to.triangles, position)) {
    moved = anchor_on_triangle(points, to.triangles[nearest->triangle], nearest->shares);
  } else {
    const auto far = [&](const glm::vec3& point) { return glm::distance(glm::dvec3(point), position); };
    const auto nearest_point = std::ranges::min_element(points, {}, far);
    moved.vertices = glm::uvec3(static_cast<std::uint32_t>(nearest_point - points.begin()));
  }
  anchor.vertices = moved.vertices;
  anchor.shares = moved.shares;
}

}  // namespace pelt
