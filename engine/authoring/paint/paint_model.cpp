// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <glm/gtc/matrix_inverse.hpp>
#include <optional>
#include <utility>

#include <pelt/paint.h>
#include <pelt/pose.h>
#include <pelt/tools/area.h>
#include <pelt/tools/closest_weights.h>

#include "engine/authoring/base/name_list.h"
#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/model/affine.h"
#include "engine/authoring/model/unweighted.h"
#include "engine/authoring/paint/bones.h"

namespace pelt {
namespace {

constexpr float kStill = 1e-3f;

bool is_unpainted(const Model& model, const Mesh& mesh) {
  return std::ranges::find(model.unpainted, mesh.name) != model.unpainted.end();
}

// Returns the only bound joint that moves a mesh; none if several do.
std::optional<std::uint32_t> only_bound(const Mesh& mesh) {
  if (mesh.weights.influences.empty()) return std::nullopt;
  const std::uint32_t first = mesh.weights.influences.front().index;
  const auto is_first = [&](const Influence& influence) { return influence.index == first; };
  return std::ranges::all_of(mesh.weights.influences, is_first) ? std::optional(first) : std::nullopt;
}

// Returns the nodes of meshes, and those above them, if all meshes are next to a skeleton: their
// nodes put them there, no clip moves these nodes, and there are bones in them. Empty if not.
std::vector<bool> carriers_beside(const Model& model) {
  const std::vector<Joint>& joints = model.skeleton.joints;
  std::vector<bool> carries(joints.size(), false);
  std::vector<glm::mat4> rests(joints.size());
  rest_matrices(model.skeleton, rests);
  const auto mark = [&](const Mesh& mesh) {
    const std::optional<std::uint32_t> bound = only_bound(mesh);
    if (!bound) return false;
    std::optional<std::uint32_t> joint = model.bound_joints[*bound].joint;
    const glm::mat4 moved = rests[*joint] * model.bound_joints[*bound].inverse_bind - glm::mat4(1.0f);
    for (int c = 0; c < 4; ++c) {
      if (glm::length(moved[c]) > kStill) return false;
    }
    for (; joint; joint = model.skeleton.parent_of(*joint)) carries[*joint] = true;
    return true;
  };
  for (const Mesh& mesh : model.meshes) {
    if (!mark(mesh)) return {};
  }
  for (const MeshLevel& level : model.levels) {
    if (!mark(level.mesh)) return {};
  }
  for (const Clip& clip : model.clips) {
    for (const Channel& channel : clip.channels) {
      if (carries[channel.joint]) return {};
    }
  }
  // Bones are joints that carry no mesh, below such joints. Most of them are in the meshes, unlike those of other
  // things.
  Bounds<glm::vec3> box;
  for (const Mesh& mesh : model.meshes) {
    for (const glm::vec3& position : mesh.positions) box.add(position);
  }
  std::size_t bones = 0;
  std::size_t inside = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto parent = model.skeleton.parent_of(j);
    if (!parent || carries[j] || carries[*parent]) continue;
    ++bones;
    const glm::vec3 at(rests[j][3]);
    inside += glm::all(glm::greaterThan(at, box.low)) && glm::all(glm::lessThan(at, box.high)) ? 1 : 0;
  }
  const auto is_of_skin = [&](const BoundJoint& bound) { return !carries[bound.joint]; };
  const bool has_skin = std::ranges::any_of(model.bound_joints, is_of_skin);  // which no mesh follows
  if (bones > 0 && (has_skin || 2 * inside > bones)) return carries;
  return {};
}

struct Plan {
  std::vector<std::uint32_t> meshes;
  std::vector<bool> beside;  // see carriers_beside
};

Plan plan(const Model& model, PaintMode mode) {
  Plan plan;
  if (mode == PaintMode::kNever || model.painted) return plan;
  plan.beside = carriers_beside(model);
  for (std::uint32_t m = 0; m < model.meshes.size(); ++m) {
    const Mesh& mesh = model.meshes[m];
    if (mesh.weights.row_count() == 0 || mesh.triangles.empty()) continue;
    const bool loose = only_bound(mesh) && plan.beside.empty();  // a part that its node moves
    if (is_unpainted(model, mesh) || !plan.beside.empty() || (mode == PaintMode::kAlways && !loose)) {
      plan.meshes.push_back(m);
    }
  }
  return plan;
}

// The joints that may move the meshes of a plan.
struct Candidates {
  std::vector<bool> may_move;  // for each bound joint
  bool of_skin = false;        // they are at bind as in a skin that no mesh follows
};

// Returns the candidates; adds those that a skeleton next to the meshes needs, at rest, or as the first mesh's skin
// would bind them, if more of them are then in the meshes.
Candidates find_candidates(const Plan& plan, Model& model) {
  if (plan.beside.empty()) {
    Candidates all{std::vector<bool>(model.bound_joints.size(), true)};
    for (const Mesh& mesh : model.meshes) {
      const std::optional<std::uint32_t> bound = only_bound(mesh);
      if (bound && !is_unpainted(model, mesh)) all.may_move[*bound] = false;
    }
    return all;
  }
  std::vector<glm::mat4> rests(model.skeleton.joints.size());
  rest_matrices(model.skeleton, rests);
  std::vector<BoundJoint> at_rest;
  for (std::uint32_t j = 0; j < rests.size(); ++j) {
    if (plan.beside[j] || !is_invertible(glm::dmat4(rests[j]))) continue;
    at_rest.push_back({j, glm::mat4(glm::affineInverse(glm::dmat4(rests[j])))});
  }
  const glm::mat4& mesh_from_model = model.bound_joints[*only_bound(model.meshes.front())].inverse_bind;
  std::vector<BoundJoint> in_skin;
  std::vector<bool> seen = plan.beside;
  for (const BoundJoint& bound : model.bound_joints) {
    if (seen[bound.joint] || !is_invertible(glm::dmat4(bound.inverse_bind))) continue;
    seen[bound.joint] = true;
    in_skin.push_back({bound.joint, bound.inverse_bind * mesh_from_model});
  }
  Candidates found;
  found.of_skin = paint::joints_inside(model, plan.meshes, in_skin) > paint::joints_inside(model, plan.meshes, at_rest);
  const std::vector<BoundJoint>& used = found.of_skin ? in_skin : at_rest;
  found.may_move.assign(model.bound_joints.size(), false);
  found.may_move.resize(model.bound_joints.size() + used.size(), true);
  model.bound_joints.insert(model.bound_joints.end(), used.begin(), used.end());
  return found;
}

// Gives the levels of painted meshes the weights of the closest points of those.
void paint_levels(const std::vector<std::uint32_t>& meshes, unsigned threads, Model& model) {
  for (MeshLevel& level : model.levels) {
    if (std::ranges::find(meshes, level.of) == meshes.end()) continue;
    const Mesh& mesh = model.meshes[level.of];
    std::vector<glm::uvec3> triangles = mesh.triangles;
    drop_flat(mesh.positions, triangles);
    const Result<TriangleTree> tree = TriangleTree::create(mesh.positions, triangles);
    if (!tree) continue;
    level.mesh.weights = closest_weights(
        *tree, [&](std::uint32_t v) { return mesh.weights.row(v); }, level.mesh.positions, threads);
  }
}

}  // namespace

bool may_paint(const Model& model, PaintMode mode) { return !plan(model, mode).meshes.empty(); }

Result<std::string> paint_model(Model& model, PaintMode mode, unsigned threads) {
  const Plan planned = plan(model, mode);
  if (planned.meshes.empty()) return std::string();
  const std::size_t bound = model.bound_joints.size();
  Candidates joints = find_candidates(planned, model);
  NameList names;
  for (const std::uint32_t m : planned.meshes) names.add(model.meshes[m].name);
  Result<std::vector<SparseRows>> rows = paint_weights(model, planned.meshes, std::move(joints.may_move), threads);
  if (!rows) {
    model.bound_joints.resize(bound);
    if (mode == PaintMode::kAlways) return tl::unexpected(rows.error());
    return fmt::format("{} cannot be painted: {}", names.text(), rows.error().message);
  }
  std::vector<bool> used(model.bound_joints.size(), false);
  for (std::size_t i = 0; i < rows->size(); ++i) {
    for (const Influence& influence : (*rows)[i].influences) used[influence.index] = true;
    Mesh& mesh = model.meshes[planned.meshes[i]];
    mesh.weights = std::move((*rows)[i]);
    std::erase(model.report.notes, unweighted_note(mesh));
  }
  paint_levels(planned.meshes, threads, model);
  model.unpainted.clear();
  model.painted = true;
  return fmt::format("weights were made for {}, on {} joints{}, by ways inside the skin", names.text(),
                     std::ranges::count(used, true), joints.of_skin ? " as the file's unused skin binds them" : "");
}

}  // namespace pelt
