// SPDX-License-Identifier: MIT
#include <pelt/model_of.h>
#include <pelt/shaders/octahedral.h>

namespace pelt {
namespace {

Mesh mesh_of(const CharacterMesh& packed) {
  const std::uint32_t count = packed.vertex_count();
  Mesh mesh;
  mesh.name = packed.name;
  mesh.parts = packed.parts;
  mesh.positions.resize(count);
  mesh.normals.resize(count);
  mesh.tangents.resize(count);
  mesh.uvs.resize(packed.uvs.size());
  std::vector<std::uint32_t> packed_of_source(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t source = packed.source_vertex[i];
    packed_of_source[source] = i;
    mesh.positions[source] = packed.binding.points[i];
    mesh.normals[source] = shared::unpack_normal(packed.binding.directions[i].x);
    mesh.tangents[source] = shared::unpack_tangent(packed.binding.directions[i].y);
    if (!packed.uvs.empty()) mesh.uvs[source] = packed.uvs[i];
  }
  for (const glm::uvec3 triangle : packed.triangles) {
    mesh.triangles.emplace_back(packed.source_vertex[triangle.x], packed.source_vertex[triangle.y],
                                packed.source_vertex[triangle.z]);
  }
  if (packed.weights.row_count() != 0) {
    for (const std::uint32_t i : packed_of_source) mesh.weights.append_row(packed.weights.row(i));
  }
  return mesh;
}

}  // namespace

Model model_of(const Character& character) {
  Model model;
  model.name = character->name;
  model.skeleton = character->skeleton;
  model.bound_joints = character->bound_joints;
  model.materials = character->materials;
  model.clips = character->clips;
  for (const CharacterMesh& mesh : character->meshes) {
    if (!mesh.control) model.meshes.push_back(mesh_of(mesh));
  }
  return model;
}

}  // namespace pelt
