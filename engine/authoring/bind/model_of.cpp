// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include <pelt/model_of.h>
#include <pelt/shaders/octahedral.h>
#include <pelt/try.h>

#include "engine/character/kernels/key_weights.h"
#include "engine/character/rows/morphs.h"

namespace pelt {
namespace {

// Targets that correctives added have no control; the rig adds them again. `whole`: the mesh by whose name controls
// list the targets. For a level of detail, that is the mesh of the level.
bool is_control_of(const Control& control, const CharacterMesh& packed, std::string_view whole) {
  return control.kind == ControlKind::kMorphTarget && control.mesh == whole &&
         control.target < packed.morphs->target_count;
}

std::uint32_t count_targets(const CharacterMesh& packed, std::span<const Control> controls, std::string_view whole) {
  std::uint32_t count = 0;
  for (const Control& control : controls) {
    if (packed.morphs && is_control_of(control, packed, whole)) count = std::max(count, control.target + 1);
  }
  return count;
}

void unpack_morphs(const CharacterMesh& packed, std::span<const Control> controls, std::string_view whole, Mesh& mesh) {
  const PackedMorphs& morphs = *packed.morphs;
  const std::uint32_t count = count_targets(packed, controls, whole);
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
    if (!is_control_of(control, packed, whole)) continue;
    MorphTarget& target = mesh.morph_targets[control.target];
    target.name = control.target_name();
    target.weight = control.rest;
  }
}

Mesh mesh_of(const CharacterMesh& packed, std::span<const Control> controls, std::string_view whole) {
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
  if (packed.painted) {
    const SparseRows painted = painted_rows(packed);
    for (const std::uint32_t i : packed_of_source) mesh.weights.append_row(painted.row(i));
  }
  if (packed.morphs) unpack_morphs(packed, controls, whole, mesh);
  return mesh;
}

// Checks the total size of the targets before it makes any.
Result<void> check_size(const CharacterData& character, std::uint64_t most) {
  std::uint64_t taken = 0;
  const auto take = [&](const CharacterMesh& mesh, std::string_view whole) -> Result<void> {
    const std::uint64_t targets = mesh.control ? 0 : count_targets(mesh, character.controls, whole);
    if (targets == 0) return {};
    // One vector per vertex for positions, one for normals, one for tangents.
    const std::uint64_t vectors = mesh.morphs->row_words - shared::kMorphPositionWords + 1;
    const std::uint64_t a_target = sizeof(MorphTarget) + vectors * sizeof(glm::vec3) * mesh.vertex_count();
    if (targets > (most - taken) / a_target) {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("mesh '{}' has {} morph targets of {} vertices; the model would take more than {} MiB",
                              mesh.name, targets, mesh.vertex_count(), most >> 20));
    }
    taken += targets * a_target;
    return {};
  };
  for (const CharacterMesh& mesh : character.meshes) PELT_TRY(take(mesh, mesh.name));
  for (const SkinLevel& level : character.levels) PELT_TRY(take(level.skin, character.meshes[level.of].name));
  return {};
}

// Adds the expressions that the morph targets of the model's meshes follow.
Result<void> add_expressions(const CharacterData& data, std::uint64_t most, Model& model) {
  std::map<std::uint32_t, std::size_t> expression_of;  // by input
  for (const Control& control : data.controls) {
    if (control.kind != ControlKind::kExpression) continue;
    expression_of[control.input] = model.expressions.size();
    model.expressions.push_back({control.name, false, {}});
  }
  if (model.expressions.empty()) return {};
  std::map<std::uint32_t, const Mesh*> mesh_of;  // by the first palette entry of its weights
  for (const CharacterMesh& mesh : data.meshes) {
    if (mesh.morphs) mesh_of.emplace(mesh.morphs->first_entry, model.find_mesh(mesh.name));
  }
  std::uint64_t taken = 0;
  for (const PalettePass& pass : data.passes) {
    const auto mesh = mesh_of.find(pass.first_entry);
    if (pass.kernel != PoseKernel::kKeyWeights || mesh == mesh_of.end()) continue;
    for (const key_weights::RampKey& key : key_weights::ramp_keys(pass)) {
      const std::uint32_t target = (key.entry - pass.first_entry) * shared::kMorphEntryTargets + key.weight;
      const auto found = expression_of.find(key.input);
      if (found == expression_of.end() || target >= mesh->second->morph_targets.size()) continue;
      taken += sizeof(ExpressionTarget) + mesh->second->name.size();
      if (taken > most) return fail(ErrorCode::kUnsupported, "expressions name too many morph targets");
      Expression& expression = model.expressions[found->second];
      expression.binary = expression.binary || key.from > 0;
      expression.targets.push_back({mesh->second->name, target, key.factor});
    }
  }
  return {};
}

}  // namespace

Result<Model> model_of(const Character& character, std::uint64_t most_morph_bytes) {
  PELT_TRY(check_size(*character, most_morph_bytes));
  Model model;
  model.name = character->name;
  model.skeleton = character->skeleton;
  model.bound_joints = character->bound_joints;
  model.materials = character->materials;
  model.clips = character->clips;
  for (const CharacterMesh& mesh : character->meshes) {
    if (!mesh.control) model.meshes.push_back(mesh_of(mesh, character->controls, mesh.name));
  }
  for (const SkinLevel& level : character->levels) {
    const std::string& whole = character->meshes[level.of].name;
    const auto of = static_cast<std::uint32_t>(model.find_mesh(whole) - model.meshes.data());
    model.levels.push_back({of, level.level, mesh_of(level.skin, character->controls, whole)});
  }
  PELT_TRY(add_expressions(*character, most_morph_bytes, model));
  return model;
}

}  // namespace pelt
