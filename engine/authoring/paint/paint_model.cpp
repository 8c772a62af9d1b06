// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <functional>
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
#include "engine/authoring/model/mesh_weights.h"
#include "engine/authoring/paint/bones.h"

namespace pelt {
namespace {

constexpr float kStill = 1e-3f;

bool is_unpainted(const Model& model, const Mesh& mesh) {
  return std::ranges::find(model.unpainted, mesh.name) != model.unpainted.end();
}

// Meshes next to a skeleton: their nodes put them there, no clip moves these nodes, and there are bones in them.
struct Beside {
  std::vector<bool> carries;  // joints that are nodes of meshes, or above those next to the skeleton; empty: none is
  std::vector<bool> meshes;   // next to it; others hang on a bone
};

// Returns for each joint whether a last joint without a mesh is below it.
std::vector<bool> above_bones(const Skeleton& skeleton, const std::vector<bool>& is_node) {
  std::vector<bool> is_above(is_node.size(), false);
  std::vector<bool> has_child(is_node.size(), false);
  for (std::size_t j = is_node.size(); j-- > 0;) {
    if (!has_child[j] && !is_node[j]) is_above[j] = true;
    const auto parent = skeleton.parent_of(j);
    if (!parent) continue;
    has_child[*parent] = true;
    if (is_above[j]) is_above[*parent] = true;
  }
  return is_above;
}

// Returns true if a joint has the same transform at rest as at bind.
bool is_at_rest(std::span<const glm::mat4> rests, const BoundJoint& bound) {
  const glm::mat4 moved = rests[bound.joint] * bound.inverse_bind - glm::mat4(1.0f);
  for (int c = 0; c < 4; ++c) {
    if (glm::length(moved[c]) > kStill) return false;
  }
  return true;
}

float size_of(const Mesh& mesh) { return glm::length(bounds_of<glm::vec3>(std::span(mesh.positions)).size()); }

// A file in which anything bends has none, and with kAlways clips may move nodes of meshes. Joints above the largest
// mesh are no bones.
Beside find_beside(const Model& model, PaintMode mode) {
  const std::vector<Joint>& joints = model.skeleton.joints;
  std::vector<glm::mat4> rests(joints.size());
  rest_matrices(model.skeleton, rests);
  std::vector<const Mesh*> meshes;
  for (const Mesh& mesh : model.meshes) meshes.push_back(&mesh);
  std::ranges::stable_sort(meshes, std::greater(), [](const Mesh* mesh) { return size_of(*mesh); });
  for (const MeshLevel& level : model.levels) meshes.push_back(&level.mesh);
  std::vector<std::uint32_t> nodes;
  std::vector<bool> is_node(joints.size(), false);
  for (const Mesh* mesh : meshes) {
    const std::optional<std::uint32_t> bound = only_bound(*mesh);
    if (!bound || !is_at_rest(rests, model.bound_joints[*bound])) return {};
    nodes.push_back(model.bound_joints[*bound].joint);
    is_node[nodes.back()] = true;
  }
  const std::vector<bool> is_above = above_bones(model.skeleton, is_node);
  Beside found{std::vector<bool>(joints.size(), false), std::vector<bool>(model.meshes.size(), false)};
  Bounds<glm::vec3> box;
  bool some_hang = false;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    bool hangs = false;
    for (auto up = model.skeleton.parent_of(nodes[i]); i > 0 && up && !found.carries[*up];) {
      hangs = hangs || is_above[*up];
      up = model.skeleton.parent_of(*up);
    }
    some_hang = some_hang || hangs;
    if (hangs) continue;
    found.carries[nodes[i]] = true;
    for (auto up = model.skeleton.parent_of(nodes[i]); up; up = model.skeleton.parent_of(*up))
      found.carries[*up] = true;
    if (i >= model.meshes.size()) continue;
    found.meshes[static_cast<std::size_t>(meshes[i] - model.meshes.data())] = true;
    for (const glm::vec3& position : meshes[i]->positions) box.add(position);
  }
  for (const Clip& clip : model.clips) {
    for (const Channel& channel : clip.channels) {
      if (found.carries[channel.joint] && mode != PaintMode::kAlways) return {};
    }
  }
  for (const std::uint32_t node : nodes) found.carries[node] = true;
  // Bones are joints that carry no mesh, below such joints. Most of them are in the meshes, unlike those of other
  // things and of robots.
  std::size_t bones = 0;
  std::size_t inside = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto parent = model.skeleton.parent_of(j);
    if (!parent || found.carries[j] || found.carries[*parent]) continue;
    ++bones;
    const glm::vec3 at(rests[j][3]);
    inside += glm::all(glm::greaterThan(at, box.low)) && glm::all(glm::lessThan(at, box.high)) ? 1 : 0;
  }
  const auto is_of_skin = [&](const BoundJoint& bound) { return !found.carries[bound.joint]; };
  const bool has_skin = std::ranges::any_of(model.bound_joints, is_of_skin);  // which no mesh follows
  return bones > 0 && ((has_skin && !some_hang) || 2 * inside > bones) ? found : Beside();
}

// Returns the bound joints that may move a skin: not those that only carry meshes, with no bound joint below them.
std::vector<bool> find_movers(const Model& model) {
  std::vector<bool> carries(model.bound_joints.size(), false);
  std::vector<bool> moves(model.bound_joints.size(), false);
  for (const Mesh& mesh : model.meshes) {
    const std::optional<std::uint32_t> bound = only_bound(mesh);
    if (bound && !is_unpainted(model, mesh)) {
      carries[*bound] = true;
    } else {
      for (const Influence& influence : mesh.weights.influences) moves[influence.index] = true;
    }
  }
  std::vector<bool> is_above(model.skeleton.joints.size(), false);
  for (std::size_t b = 0; b < carries.size(); ++b) {
    if (carries[b] && !moves[b]) continue;
    auto up = model.skeleton.parent_of(model.bound_joints[b].joint);
    for (; up && !is_above[*up]; up = model.skeleton.parent_of(*up)) is_above[*up] = true;
  }
  for (std::size_t b = 0; b < carries.size(); ++b) {
    moves[b] = moves[b] || !carries[b] || is_above[model.bound_joints[b].joint];
  }
  return moves;
}

// Returns true if a mesh that follows one joint is no prop, such as a sword or an eye: several other joints are in it.
bool holds_joints(const Model& model, std::uint32_t mesh, const std::vector<bool>& movers) {
  std::vector<BoundJoint> others;
  std::vector<bool> seen(model.skeleton.joints.size(), false);
  seen[model.bound_joints[*only_bound(model.meshes[mesh])].joint] = true;
  for (std::size_t b = 0; b < movers.size(); ++b) {
    if (!movers[b] || seen[model.bound_joints[b].joint]) continue;
    seen[model.bound_joints[b].joint] = true;
    others.push_back(model.bound_joints[b]);
  }
  return paint::joints_inside(model, std::span(&mesh, 1), others) > 1;
}

struct Plan {
  std::vector<std::uint32_t> meshes;
  std::vector<bool> carriers;  // joints that carry meshes; empty: no mesh is next to the skeleton
};

Plan plan(const Model& model, PaintMode mode) {
  Plan plan;
  if (mode == PaintMode::kNever || model.painted) return plan;
  Beside beside = find_beside(model, mode);
  const std::vector<bool> movers = find_movers(model);
  for (std::uint32_t m = 0; m < model.meshes.size(); ++m) {
    const Mesh& mesh = model.meshes[m];
    if (mesh.weights.row_count() == 0 || mesh.triangles.empty()) continue;
    const bool asked = mode == PaintMode::kAlways && (!only_bound(mesh) || holds_joints(model, m, movers));
    const bool is_beside = !beside.carries.empty() && beside.meshes[m];
    if (is_unpainted(model, mesh) || is_beside || (beside.carries.empty() && asked)) plan.meshes.push_back(m);
  }
  plan.carriers = std::move(beside.carries);
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
  if (plan.carriers.empty()) return {find_movers(model)};
  std::vector<glm::mat4> rests(model.skeleton.joints.size());
  rest_matrices(model.skeleton, rests);
  std::vector<BoundJoint> at_rest;
  for (std::uint32_t j = 0; j < rests.size(); ++j) {
    if (plan.carriers[j] || !is_invertible(glm::dmat4(rests[j]))) continue;
    at_rest.push_back({j, glm::mat4(glm::affineInverse(glm::dmat4(rests[j])))});
  }
  const glm::mat4& mesh_from_model = model.bound_joints[*only_bound(model.meshes[plan.meshes.front()])].inverse_bind;
  std::vector<BoundJoint> in_skin;
  std::vector<bool> seen = plan.carriers;
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
