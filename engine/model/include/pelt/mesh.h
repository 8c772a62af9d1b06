// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/finite.h>
#include <pelt/sparse_rows.h>

namespace pelt {

// A range of triangles with one material.
struct MeshPart {
  std::uint32_t first_triangle = 0;
  std::uint32_t triangle_count = 0;
  std::int32_t material = -1;  // index in Model::materials, -1: none
};

// A shape that a mesh is drawn towards: position + weight * offset, before anything else moves the vertex (glTF 2.0,
// section 3.7.2.2).
struct MorphTarget {
  std::string name;                // unique in the mesh
  std::vector<glm::vec3> offsets;  // one a vertex, in the space of the positions
  float weight = 0;                // at rest
};

// A vertex of a mesh, moved.
struct VertexOffset {
  std::uint32_t vertex = 0;
  glm::vec3 offset{0.0f};  // metres, model space at bind: turned with the limb
  friend bool operator==(const VertexOffset&, const VertexOffset&) = default;
};

// A number of each vertex that the file gives beside what is named in Mesh: a mask, say.
struct VertexAttribute {
  std::string name;           // unique in the mesh: "_MASK", or "COLOR_0.r" of more than one component
  std::vector<float> values;  // one a vertex; 0 where a part of the mesh lacks it
};

// A triangle mesh in model space at bind: the space of the joint matrices, in metres, when the character stands as it
// was bound. Everything that is not empty has one entry a vertex. Vertices that no triangle names are points: hair
// roots, particles, control vertices. They move as others do; a mesh may hold nothing else.
struct Mesh {
  std::string name;
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;   // unit; made from the triangles where the file has none
  std::vector<glm::vec4> tangents;  // unit xyz, w = handedness; may be empty
  std::vector<glm::vec2> uvs;       // may be empty
  std::vector<glm::uvec3> triangles;
  std::vector<MeshPart> parts;  // cover all triangles, in order
  SparseRows weights;           // columns: Model::bound_joints. No rows: the mesh has no weights (a driver from OBJ)
  std::vector<MorphTarget> morph_targets;
  std::vector<VertexAttribute> attributes;
};

bool has_weights(const Mesh& mesh);

// Positions and triangles of meshes laid end to end, and weights if all of them have some; nothing else.
Mesh concatenate(std::span<const Mesh> meshes);
Mesh concatenate(std::span<const Mesh* const> meshes);

// Area round each vertex, a third of its triangles', square metres.
std::vector<double> vertex_areas(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles);

// Area-weighted vertex normals; (0, 0, 1) at vertices that no triangle with area touches.
std::vector<glm::vec3> vertex_normals(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles);

}  // namespace pelt
