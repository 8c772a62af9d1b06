// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <pelt/garment.h>
#include <pelt/tools/area.h>
#include <pelt/tools/closest_weights.h>
#include <pelt/try.h>

#include "engine/authoring/driver/from_skin/joint_spread.h"
#include "engine/authoring/geometry/spread_weights.h"
#include "engine/character/base/invalid.h"

namespace pelt {
namespace {

// Returns the body's bound joint of the same name for each bound joint of the garment; none if one is missing.
std::optional<std::vector<std::uint32_t>> match_joints(const Model& garment, const Model& body) {
  std::vector<std::uint32_t> matches;
  for (const BoundJoint& bound : garment.bound_joints) {
    const std::optional<std::uint32_t> joint = body.skeleton.find(garment.skeleton.joints[bound.joint].name);
    std::uint32_t b = 0;
    while (b < body.bound_joints.size() && (!joint || body.bound_joints[b].joint != *joint)) ++b;
    if (b == body.bound_joints.size()) return std::nullopt;
    matches.push_back(b);
  }
  return matches;
}

// Returns true if both bind their common joints alike, within rounding.
bool same_bind(const Model& garment, const Model& body, const std::vector<std::uint32_t>& joints) {
  for (std::size_t b = 0; b < joints.size(); ++b) {
    const glm::mat4 difference = garment.bound_joints[b].inverse_bind - body.bound_joints[joints[b]].inverse_bind;
    for (int c = 0; c < 4; ++c) {
      if (glm::length(difference[c]) > 1e-3f) return false;
    }
  }
  return true;
}

void rename_columns(SparseRows& rows, const std::vector<std::uint32_t>& columns) {
  for (Influence& influence : rows.influences) influence.index = columns[influence.index];
}

// Returns the body's meshes with weights as one mesh, without triangles that have no area.
Mesh weighted_skin(const Model& body) {
  std::vector<const Mesh*> meshes;
  for (const Mesh& mesh : body.meshes) {
    if (has_weights(mesh)) meshes.push_back(&mesh);
  }
  Mesh skin = concatenate(meshes);
  drop_flat(skin.positions, skin.triangles);
  return skin;
}

// Returns all meshes of a model and their levels.
std::vector<Mesh*> meshes_and_levels(Model& model) {
  std::vector<Mesh*> meshes;
  for (Mesh& mesh : model.meshes) meshes.push_back(&mesh);
  for (MeshLevel& level : model.levels) meshes.push_back(&level.mesh);
  return meshes;
}

// Returns the garment with the body's skeleton and clips.
Result<Dressed> put_on(Model garment, const Model& body) {
  if (garment.meshes.empty()) {
    return invalid("{}: has no mesh for the body to drive", garment.name);
  }
  Dressed dressed;
  const std::optional<std::vector<std::uint32_t>> joints = match_joints(garment, body);
  const std::size_t joint_count = garment.bound_joints.size();  // a rigid garment has one: its node
  bool had_weights = false;
  for (Mesh* mesh : meshes_and_levels(garment)) {
    had_weights = had_weights || (mesh->weights.row_count() != 0 && joint_count > 1);
    if (joints) {
      rename_columns(mesh->weights, *joints);
    } else {
      mesh->weights = {};
    }
  }
  const auto is_morphed = [](const Mesh& mesh) { return !mesh.morph_targets.empty(); };
  if (std::any_of(body.meshes.begin(), body.meshes.end(), is_morphed)) {
    dressed.notes.push_back(fmt::format("the morph targets of '{}' do not move the garment", body.name));
  }
  if (!garment.clips.empty()) {
    dressed.notes.push_back(
        fmt::format("the clips of '{}' are left out: it moves by the clips of '{}'", garment.name, body.name));
  }
  if (joints && !same_bind(garment, body, *joints)) {
    dressed.notes.push_back(
        fmt::format("'{}' and '{}' are bound in different poses; bind assumes that the garment fits the body "
                    "in the poses of their files",
                    garment.name, body.name));
  }
  if (!joints && had_weights) {
    dressed.notes.push_back(fmt::format("the weights of '{}' are left out: they name joints that '{}' does not have",
                                        garment.name, body.name));
  }
  dressed.model = std::move(garment);
  dressed.model.skeleton = body.skeleton;
  dressed.model.bound_joints = body.bound_joints;
  dressed.model.clips = body.clips;
  for (Clip& clip : dressed.model.clips) clip.morph_channels.clear();
  return dressed;
}

}  // namespace

Result<Dressed> dress(Model garment, const Model& body) {
  PELT_ASSIGN(auto dressed, put_on(std::move(garment), body));
  Mesh driver = concatenate(body.meshes);
  if (driver.triangles.empty()) {
    return invalid("{}: has no triangles to drive the garment", body.name);
  }
  driver.normals = vertex_normals(driver.positions, driver.triangles);
  driver.name = body.meshes.size() == 1 ? body.meshes[0].name : "body";
  for (int number = 2; dressed.model.find_mesh(driver.name) != nullptr; ++number)
    driver.name = fmt::format("body {}", number);
  dressed.body = driver.name;
  dressed.model.meshes.push_back(std::move(driver));
  return dressed;
}

Result<Dressed> dress_by_weights(Model garment, const Model& body, unsigned threads) {
  PELT_ASSIGN(auto dressed, put_on(std::move(garment), body));
  const Mesh skin = weighted_skin(body);
  const Result<TriangleTree> tree = TriangleTree::create(skin.positions, skin.triangles);
  if (!tree) return invalid("{}: has no weights to copy", body.name);
  // Narrower transitions than on a body: the copied weights already have the width of the body's.
  const std::vector<Transition> transitions(body.bound_joints.size(), {.radii = 0.5f, .bones = 0.75f, .rigid = true});
  dressed.copied_weights = true;
  for (Mesh* mesh : meshes_and_levels(dressed.model)) {
    if (has_weights(*mesh)) {
      dressed.copied_weights = false;
      continue;
    }
    const SparseRows closest = closest_weights(
        *tree, [&](std::uint32_t v) { return skin.weights.row(v); }, mesh->positions, threads);
    const SparseRows spread = spread_weights(*mesh, closest, body, transitions, threads);
    mesh->weights = cut_rows(spread, from_skin::kMaxTransferred, Cut::kHard);
  }
  return dressed;
}

}  // namespace pelt
