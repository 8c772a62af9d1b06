// SPDX-License-Identifier: MIT
// Tangents for normal maps, by the rules of MikkTSpace, which most programs bake normal maps with.
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace pelt {

// Directions of one length that differ by less than 0.1 degrees are taken for one.
inline bool are_alike(const glm::dvec3& a, const glm::dvec3& b) {
  return glm::dot(a, b) > (1 - 1.5e-6) * glm::length(a) * glm::length(b);
}

struct VertexTangents {
  // Unit xyz across the normal, w = handedness as in glTF: the bitangent cross(normal, xyz) * w points to where v
  // falls. All 0 at vertices to which no triangle gives a tangent.
  std::vector<glm::vec4> tangents;
  // True where MikkTSpace gives the corners of a vertex different tangents, which other programs split it for. It takes
  // the mean, by angle, of those of the handedness that more of the angle has.
  std::vector<bool> averaged;
};

// Returns a tangent for each vertex. `normals` are unit; each of the spans but `triangles` has one entry a vertex.
// Takes time in proportion to the mesh but for sorting, and gives finite tangents whatever the numbers are.
VertexTangents vertex_tangents(std::span<const glm::vec3> positions, std::span<const glm::vec3> normals,
                               std::span<const glm::vec2> uvs, std::span<const glm::uvec3> triangles);

}  // namespace pelt
