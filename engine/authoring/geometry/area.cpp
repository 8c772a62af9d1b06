// SPDX-License-Identifier: MIT
#include <pelt/tools/area.h>

#include "engine/authoring/geometry/bounds.h"

namespace pelt {

double triangle_area(std::span<const glm::vec3> positions, glm::uvec3 triangle) {
  const glm::dvec3 a(positions[triangle.x]);
  return 0.5 * glm::length(glm::cross(glm::dvec3(positions[triangle.y]) - a, glm::dvec3(positions[triangle.z]) - a));
}

double least_area(const Mesh& mesh) {
  constexpr double kMinArea = 1e-10;  // in units of the squared diagonal
  if (mesh.positions.empty()) return 0;
  const glm::dvec3 size = bounds_of<glm::dvec3>(std::span(mesh.positions)).size();
  return kMinArea * glm::dot(size, size);
}

std::vector<std::uint32_t> drop_flat(std::span<const glm::vec3> positions, std::vector<glm::uvec3>& triangles,
                                     double least) {
  std::vector<std::uint32_t> solid;
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    if (triangle_area(positions, triangles[t]) > least) solid.push_back(t);
  }
  for (std::size_t i = 0; i < solid.size(); ++i) triangles[i] = triangles[solid[i]];
  triangles.resize(solid.size());
  return solid;
}

}  // namespace pelt
