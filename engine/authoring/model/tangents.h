// SPDX-License-Identifier: MIT
// Tangents for normal maps, by the rules of MikkTSpace, the usual ones for baking normal maps.
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace pelt {

// Directions of one length that differ by less than 0.1 degrees count as one.
inline bool are_alike(const glm::dvec3& a, const glm::dvec3& b) {
  return glm::dot(a, b) > (1 - 1.5e-6) * glm::length(a) * glm::length(b);
}

struct VertexTangents {
  // Unit xyz across the normal, w = handedness as in glTF: the bitangent cross(normal, xyz) * w points to falling v.
  // All 0 at vertices without a tangent from any triangle.
  std::vector<glm::vec4> tangents;
  // True if MikkTSpace has different tangents for the corners of a vertex, which other programs split for it. It takes
  // their mean, by angle, over the handedness with the larger angle.
  std::vector<bool> averaged;
};

// Returns a tangent for each vertex. `normals` are unit; each of the spans but `triangles` has one entry per vertex.
// Takes linear time except for sorting, and returns finite tangents for any numbers.
VertexTangents vertex_tangents(std::span<const glm::vec3> positions, std::span<const glm::vec3> normals,
                               std::span<const glm::vec2> uvs, std::span<const glm::uvec3> triangles);

}  // namespace pelt
