// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/control_mesh.h"

#include <map>

namespace pelt::hierarchical_bspline {

Mesh make_control_mesh(const Surface& surface, std::uint32_t level, std::span<const std::uint32_t> vertices) {
  Mesh mesh;
  std::map<std::uint32_t, std::uint32_t> place;  // number in the level -> index in the mesh
  for (const std::uint32_t v : vertices) {
    const StoredVertex& vertex = surface.vertices()[v];
    place.emplace(vertex.number, static_cast<std::uint32_t>(mesh.positions.size()));
    mesh.positions.push_back(vertex.rest);
    mesh.normals.push_back(glm::vec3(normal_at(surface, vertex)));
  }
  for (const std::vector<std::uint32_t>& face : surface.topology().faces(level)) {
    std::vector<std::uint32_t> corners;
    for (const std::uint32_t number : face) {
      const auto known = place.find(number);
      if (known != place.end()) corners.push_back(known->second);
    }
    if (corners.size() < face.size()) continue;
    for (std::size_t c = 2; c < corners.size(); ++c) {
      mesh.triangles.emplace_back(corners[0], corners[c - 1], corners[c]);
    }
  }
  return mesh;
}

glm::dvec3 normal_at(const Surface& surface, const StoredVertex& vertex) {
  const std::span<const glm::dvec3> control = surface.control(vertex.level);
  const SurfacePoint point =
      surface.evaluate(vertex.level, surface.topology().limit(vertex.level, vertex.number, control));
  return point.has_frame() ? point.axes()[2] : glm::dvec3(0, 0, 1);
}

}  // namespace pelt::hierarchical_bspline
