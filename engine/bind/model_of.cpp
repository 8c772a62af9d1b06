// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>

#include <pelt/model_of.h>
#include <pelt/shaders/octahedral.h>

#include "engine/binding/morphs.h"
#include "engine/key_weights/pose.h"

namespace pelt {
namespace {

// Targets that correctives have added have no control; they come back with the rig.
void unpack_morphs(const CharacterMesh& packed, std::span<const Control> controls, Mesh& mesh) {
  const PackedMorphs& morphs = *packed.morphs;
  const auto is_own = [&](const Control& control) {
    return control.kind == ControlKind::kMorphTarget && control.mesh == mesh.name &&
           control.target < morphs.target_count;
  };
  std::uint32_t count = 0;
  for (const Control& control : controls) count = is_own(control) ? std::max(count, control.target + 1) : count;
  const std::vector<glm::vec3> none(mesh.positions.size(), glm::vec3(0.0f));
  const bool normals = morphs.row_words >= shared::kMorphNormalWords;
  const bool tangents = morphs.row_words >= shared::kMorphTangentWords;
  const std::vector<glm::vec3> empty;
  mesh.morph_targets.assign(count, {"", none, 0.0f, normals ? none : empty, tangents ? none : empty});
  for_each_morph_offset(morphs, none.size(), [&](std::size_t t, std::size_t row, const shared::MorphSum& sum) {
    if (t >= count) return;
    MorphTarget& target = mesh.morph_targets[t];
    const std::uint32_t v = packed.source_vertex[row];
    target.offsets[v] = sum.position;
    if (normals) target.normals[v] = sum.normal;
    if (tangents) target.tangents[v] = sum.tangent;
  });
  for (const Control& control : controls) {
    if (!is_own(control)) continue;
    MorphTarget& target = mesh.morph_targets[control.target];
    target.name = control.target_name();
    target.weight = control.rest;
  }
}

Mesh mesh_of(const CharacterMesh& packed, std::span<const Control> controls) {
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
  if (packed.morphs) unpack_morphs(packed, controls, mesh);
  return mesh;
}

// Returns the expressions of a character, as its morph targets follow them.
std::vector<Expression> expressions_of(const CharacterData& data) {
  std::vector<Expression> expressions;
  std::map<std::uint32_t, std::size_t> expression_of;  // by input
  for (const Control& control : data.controls) {
    if (control.kind != ControlKind::kExpression) continue;
    expression_of[control.input] = expressions.size();
    expressions.push_back({control.name, false, {}});
  }
  for (const Control& control : data.controls) {
    if (control.kind != ControlKind::kMorphTarget || expressions.empty()) continue;
    const auto mesh = std::ranges::find(data.meshes, control.mesh, &CharacterMesh::name);
    if (mesh == data.meshes.end() || !mesh->morphs || control.target >= mesh->morphs->target_count) continue;
    const std::uint32_t place =
        mesh->morphs->first_slot * shared::kMorphEntryFloats + shared::morph_weight_place(control.target);
    for (const key_weights::RampKey& key : key_weights::ramp_keys(data, place)) {
      const auto own = expression_of.find(key.input);
      if (own == expression_of.end()) continue;
      Expression& expression = expressions[own->second];
      expression.binary = expression.binary || key.from > 0;
      expression.targets.push_back({control.mesh, control.target, key.factor});
    }
  }
  return expressions;
}

}  // namespace

Model model_of(const Character& character) {
  Model model;
  model.name = character->name;
  model.skeleton = character->skeleton;
  model.bound_joints = character->bound_joints;
  model.materials = character->materials;
  model.clips = character->clips;
  model.expressions = expressions_of(*character);
  for (const CharacterMesh& mesh : character->meshes) {
    if (!mesh.control) model.meshes.push_back(mesh_of(mesh, character->controls));
  }
  return model;
}

}  // namespace pelt
