// SPDX-License-Identifier: MIT
#include <algorithm>

#include <pelt/mesh.h>

namespace pelt {

std::vector<double> vertex_areas(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles) {
  std::vector<double> areas(positions.size(), 0.0);
  for (const glm::uvec3& t : triangles) {
    const glm::dvec3 corner(positions[t[0]]);
    const double area =
        0.5 * glm::length(glm::cross(glm::dvec3(positions[t[1]]) - corner, glm::dvec3(positions[t[2]]) - corner));
    for (int c = 0; c < 3; ++c) areas[t[c]] += area / 3;
  }
  return areas;
}

std::vector<glm::vec3> vertex_normals(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles) {
  // In double: the cross product of a tiny or huge triangle leaves the range of float.
  std::vector<glm::dvec3> sums(positions.size(), glm::dvec3(0.0));
  for (const glm::uvec3& triangle : triangles) {
    const glm::dvec3 a = positions[triangle.x];
    const glm::dvec3 twice_area =
        glm::cross(glm::dvec3(positions[triangle.y]) - a, glm::dvec3(positions[triangle.z]) - a);
    for (int corner = 0; corner < 3; ++corner) sums[triangle[corner]] += twice_area;
  }
  std::vector<glm::vec3> normals(positions.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double length = glm::length(sums[i]);
    normals[i] = length > 0.0 ? glm::vec3(sums[i] / length) : glm::vec3(0.0f, 0.0f, 1.0f);
  }
  return normals;
}

bool has_weights(const Mesh& mesh) { return mesh.weights.row_count() == mesh.positions.size(); }

Mesh concatenate(std::span<const Mesh> meshes) {
  std::vector<const Mesh*> pointers;
  for (const Mesh& mesh : meshes) pointers.push_back(&mesh);
  return concatenate(pointers);
}

Mesh concatenate(std::span<const Mesh* const> meshes) {
  Mesh result;
  for (const Mesh* mesh : meshes) {
    const auto first = static_cast<std::uint32_t>(result.positions.size());
    result.positions.insert(result.positions.end(), mesh->positions.begin(), mesh->positions.end());
    for (const glm::uvec3 triangle : mesh->triangles) result.triangles.push_back(triangle + first);
  }
  if (!std::ranges::all_of(meshes, [](const Mesh* mesh) { return has_weights(*mesh); })) return result;
  for (const Mesh* mesh : meshes) {
    for (std::size_t v = 0; v < mesh->weights.row_count(); ++v) result.weights.append_row(mesh->weights.row(v));
  }
  return result;
}

}  // namespace pelt
