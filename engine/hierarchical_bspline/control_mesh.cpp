// SPDX-License-Identifier: MIT
#include "engine/hierarchical_bspline/control_mesh.h"

#include <map>

namespace pelt::hierarchical_bspline {

Mesh make_control_mesh(const Surface& surface, std::uint32_t level, std::span<const std::uint32_t> vertices) {
  Mesh mesh;
  const Grid& grid = surface.grid(level);
  std::map<std::uint32_t, std::uint32_t> place;  // of a number of the grid, in the mesh
  for (const std::uint32_t v : vertices) {
    const StoredVertex& vertex = surface.vertices()[v];
    place.emplace(vertex.number, static_cast<std::uint32_t>(mesh.positions.size()));
    mesh.positions.push_back(vertex.rest);
    mesh.normals.push_back(glm::vec3(normal_at(surface, vertex)));
  }
  const auto [u, v] = grid.along;
  for (const auto& [number, first] : place) {
    const std::uint32_t i = number / v.count;
    const std::uint32_t j = number % v.count;
    if ((!u.closed && i + 1 == u.count) || (!v.closed && j + 1 == v.count)) continue;
    const std::uint32_t next_i = (i + 1) % u.count;
    const std::uint32_t next_j = (j + 1) % v.count;
    const auto b = place.find(grid.number(next_i, j));
    const auto c = place.find(grid.number(next_i, next_j));
    const auto d = place.find(grid.number(i, next_j));
    if (b == place.end() || c == place.end() || d == place.end()) continue;
    mesh.triangles.emplace_back(first, b->second, c->second);
    mesh.triangles.emplace_back(first, c->second, d->second);
  }
  return mesh;
}

glm::dvec3 normal_at(const Surface& surface, const StoredVertex& vertex) {
  const std::uint32_t across = surface.grid(vertex.level).along[1].count;
  const glm::dvec2 place(vertex.number / across, vertex.number % across);
  const SurfacePoint point = surface.evaluate(vertex.level, place - 1.0);
  return point.has_frame() ? point.axes()[2] : glm::dvec3(0, 0, 1);
}

}  // namespace pelt::hierarchical_bspline
