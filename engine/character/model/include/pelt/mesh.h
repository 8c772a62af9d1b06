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
  std::int32_t material = -1;  // index in Model::materials; -1: none
};

// A morph target: each position, normal and tangent becomes itself + weight * offset before any other motion (glTF 2.0,
// section 3.7.2.2).
struct MorphTarget {
  std::string name;                // unique in the mesh
  std::vector<glm::vec3> offsets;  // per vertex, in the space of the positions
  float weight = 0;                // in the rest pose
  // Offsets of normals and of tangents' directions, per vertex; empty: they do not change.
  std::vector<glm::vec3> normals{};
  std::vector<glm::vec3> tangents{};
};

// An offset of one vertex of a mesh.
struct VertexOffset {
  std::uint32_t vertex = 0;
  glm::vec3 offset{0.0f};  // metres, model space at bind; turns with the limb
  friend bool operator==(const VertexOffset&, const VertexOffset&) = default;
};

// An additional number per vertex from the file, for example a mask.
struct VertexAttribute {
  std::string name;           // unique in the mesh: "_MASK", or "COLOR_0.r" for one of several components
  std::vector<float> values;  // per vertex; 0 for parts of the mesh without it
};

// A triangle mesh in model space at bind: the space of the joint matrices, in metres, with the character in its bind
// pose. Arrays of vertex data are empty or have one entry per vertex. Vertices without triangles are points: hair
// roots, particles, control vertices. They move as others do; a mesh may consist only of points.
struct Mesh {
  std::string name;
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;   // unit; computed from the triangles if the file has none
  std::vector<glm::vec4> tangents;  // unit xyz, w = handedness; may be empty
  std::vector<glm::vec2> uvs;       // may be empty
  std::vector<glm::uvec3> triangles;
  std::vector<MeshPart> parts;  // cover all triangles, in order
  // Columns: Model::bound_joints; the strongest of a row comes first, as append_row sorts it. No rows: the mesh has no
  // weights (a driver from OBJ).
  SparseRows weights;
  std::vector<MorphTarget> morph_targets;
  std::vector<VertexAttribute> attributes;
};

bool has_weights(const Mesh& mesh);

// Joins the positions and triangles of meshes, in order, and their weights if all meshes have weights; nothing else.
Mesh concatenate(std::span<const Mesh> meshes);
Mesh concatenate(std::span<const Mesh* const> meshes);

// Returns the area of each vertex, a third of that of its triangles, square metres.
std::vector<double> vertex_areas(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles);

// Returns area-weighted vertex normals; (0, 0, 1) for vertices without a triangle that has area.
std::vector<glm::vec3> vertex_normals(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles);

}  // namespace pelt
