// SPDX-License-Identifier: MIT
#include "engine/geometry/area.h"

namespace pelt {

double triangle_area(const Mesh& mesh, glm::uvec3 triangle) {
  const glm::dvec3 a(mesh.positions[triangle.x]);
  return 0.5 * glm::length(
                   glm::cross(glm::dvec3(mesh.positions[triangle.y]) - a, glm::dvec3(mesh.positions[triangle.z]) - a));
}

double least_area(const Mesh& mesh) {
  constexpr double kMinArea = 1e-10;  // in units of the squared diagonal
  if (mesh.positions.empty()) return 0;
  glm::dvec3 low(mesh.positions[0]);
  glm::dvec3 high = low;
  for (const glm::vec3 position : mesh.positions) {
    low = glm::min(low, glm::dvec3(position));
    high = glm::max(high, glm::dvec3(position));
  }
  return kMinArea * glm::dot(high - low, high - low);
}

}  // namespace pelt
