// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/directions.h"

#include <algorithm>
#include <cmath>

#include <pelt/try.h>

#include "engine/authoring/model/gltf/check.h"
#include "engine/authoring/model/tangents.h"

namespace pelt {
namespace {

bool any(const std::vector<bool>& flags) { return std::ranges::find(flags, true) != flags.end(); }

// Returns any unit vector orthogonal to the unit vector n.
glm::vec3 perpendicular(const glm::vec3& n) {
  const glm::vec3 axis = std::abs(n.x) < 0.7f ? glm::vec3(1, 0, 0) : glm::vec3(0, 1, 0);
  return glm::normalize(glm::cross(axis, n));
}

// Returns the number of vertices without a normal whose triangles do not all face along the normal made for them.
std::size_t count_averages(const std::vector<bool>& missing, const Mesh& mesh) {
  std::vector<bool> averaged(missing.size(), false);
  for (const glm::uvec3& t : mesh.triangles) {
    const glm::dvec3 a(mesh.positions[t.x]);
    const glm::dvec3 face = glm::cross(glm::dvec3(mesh.positions[t.y]) - a, glm::dvec3(mesh.positions[t.z]) - a);
    if (face == glm::dvec3(0.0)) continue;
    for (int c = 0; c < 3; ++c) {
      if (missing[t[c]] && !are_alike(face, mesh.normals[t[c]])) averaged[t[c]] = true;
    }
  }
  return static_cast<std::size_t>(std::ranges::count(averaged, true));
}

Result<void> make_normal_offsets(const std::vector<bool>& missing, GltfBudget& budget, const Mesh& mesh,
                                 MorphTarget& target) {
  const std::size_t count = mesh.positions.size();
  // Any number of triangles may share few vertices. A surface has twice as many, and the offsets bound these.
  const std::size_t triangles = std::max(mesh.triangles.size(), 4 * count) - 4 * count;
  PELT_TRY(budget.take(sizeof(float) * triangles, mesh.name));
  std::vector<glm::vec3> moved(count);
  for (std::size_t v = 0; v < count; ++v) moved[v] = mesh.positions[v] + target.offsets[v];
  const std::vector<glm::vec3> normals = vertex_normals(moved, mesh.triangles);
  for (std::size_t v = 0; v < count; ++v) {
    if (!missing[v] || normals[v] == mesh.normals[v]) continue;
    if (target.normals.empty()) {
      PELT_TRY(budget.take(count * sizeof(glm::vec3), mesh.name));
      target.normals.resize(count, glm::vec3(0.0f));
    }
    target.normals[v] = normals[v] - mesh.normals[v];
  }
  return {};
}

}  // namespace

bool gives_direction(const tinygltf::Primitive& primitive, const std::string& name) {
  return attribute(primitive, "NORMAL") >= 0 && attribute(primitive, name) >= 0;
}

Result<std::size_t> make_normals(const std::vector<bool>& missing, GltfBudget& budget, Mesh& mesh) {
  if (!any(missing)) return 0;
  const std::vector<glm::vec3> made = vertex_normals(mesh.positions, mesh.triangles);
  for (std::size_t v = 0; v < made.size(); ++v) {
    if (missing[v]) mesh.normals[v] = made[v];
  }
  for (MorphTarget& target : mesh.morph_targets) {
    PELT_TRY(make_normal_offsets(missing, budget, mesh, target));
  }
  return count_averages(missing, mesh);
}

std::size_t make_tangents(const std::vector<bool>& missing, bool uvs, Mesh& mesh) {
  if (!any(missing)) return 0;
  VertexTangents made;
  if (uvs) made = vertex_tangents(mesh.positions, mesh.normals, mesh.uvs, mesh.triangles);
  std::size_t averages = 0;
  for (std::size_t v = 0; v < missing.size(); ++v) {
    if (!missing[v]) continue;
    const bool found = uvs && glm::vec3(made.tangents[v]) != glm::vec3(0.0f);
    mesh.tangents[v] = found ? made.tangents[v] : glm::vec4(perpendicular(mesh.normals[v]), mesh.tangents[v].w);
    if (uvs && made.averaged[v]) ++averages;
  }
  return averages;
}

}  // namespace pelt
