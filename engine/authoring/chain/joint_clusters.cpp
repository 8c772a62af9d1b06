// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/joint_clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <utility>

#include <pelt/tools/joint_roles.h>

#include "engine/authoring/chain/tips.h"
#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/geometry/segment.h"

namespace pelt::chain {
namespace {

// Joints closer than this fraction of the extent of the skeleton count as coincident.
constexpr double kTogether = 1e-6;
// Fractions of the length of a bone: how far from it a twist helper may be, and how close to an end a helper merges
// with that end.
constexpr double kBesideBone = 0.05;
constexpr double kAtBoneEnd = 0.02;
// Bounds on work that grows with the square of numbers in a file; real skeletons stay far below.
constexpr std::size_t kMaxSiblings = 64;
constexpr int kMaxEnclosureTests = 16;

// Returns the sum of the weights of each joint. Without skins it is 1 for each joint that counts.
std::vector<double> joint_weights(const Model& model, std::span<const Mesh* const> skins) {
  std::vector<double> weights(model.skeleton.joints.size(), 0.0);
  for (const Mesh* mesh : skins) {
    for (const Influence& influence : mesh->weights.influences) {
      weights[model.bound_joints[influence.index].joint] += static_cast<double>(influence.weight);
    }
  }
  if (!skins.empty()) return weights;
  for (const BoundJoint& bound : model.bound_joints) weights[bound.joint] = 1;
  if (!model.bound_joints.empty()) return weights;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (const auto parent = model.skeleton.parent_of(j)) weights[j] = weights[*parent] = 1;
  }
  return weights;
}

// Returns true if the surfaces enclose the point: by its winding number (the sum of solid angles over 4 pi), which
// holes change little. Meshes without triangles enclose everything.
bool encloses(std::span<const Mesh* const> skins, const glm::dvec3& point) {
  bool any = false;
  double angle = 0;
  for (const Mesh* mesh : skins) {
    for (const glm::uvec3& triangle : mesh->triangles) {
      any = true;
      const glm::dvec3 a = glm::dvec3(mesh->positions[triangle.x]) - point;
      const glm::dvec3 b = glm::dvec3(mesh->positions[triangle.y]) - point;
      const glm::dvec3 c = glm::dvec3(mesh->positions[triangle.z]) - point;
      const double la = glm::length(a), lb = glm::length(b), lc = glm::length(c);
      // Van Oosterom & Strackee 1983, equation 8.
      angle += 2 * std::atan2(glm::dot(a, glm::cross(b, c)),
                              la * lb * lc + glm::dot(a, b) * lc + glm::dot(b, c) * la + glm::dot(c, a) * lb);
    }
  }
  return !any || std::abs(angle) > glm::pi<double>();
}

double extent_of(std::span<const glm::dmat4> bind, const std::vector<bool>& body) {
  Bounds<glm::dvec3> bounds;
  for (std::size_t j = 0; j < bind.size(); ++j) {
    if (body[j]) bounds.add(glm::dvec3(bind[j][3]));
  }
  return bounds.low.x <= bounds.high.x ? glm::length(bounds.size()) : 0.0;
}

// Returns `above` or the child of it that is at `position`, or kNone.
std::uint32_t find_same(const JointClusters& tree, std::uint32_t above, const glm::dvec3& position, double together) {
  const auto is_same = [&](std::uint32_t p) { return glm::distance(position, tree.clusters[p].position) <= together; };
  if (is_same(above)) return above;
  const std::vector<std::uint32_t>& siblings = tree.clusters[above].children;
  if (siblings.size() > kMaxSiblings) return kNone;
  const auto found = std::ranges::find_if(siblings, is_same);
  return found == siblings.end() ? kNone : *found;
}

// Makes one cluster of joints that coincide. The lowest joint is the one with the most weight among those without a
// child in the cluster.
void gather(const Model& model, std::span<const double> weights, std::span<const glm::dmat4> bind,
            const std::vector<bool>& body, double together, JointClusters& result) {
  const std::vector<Joint>& joints = model.skeleton.joints;
  std::vector<bool> has_child_here(joints.size());
  result.of_joint.assign(joints.size(), kNone);
  for (std::uint32_t j = 0; j < joints.size(); ++j) {
    if (!body[j]) continue;
    const glm::dvec3 position(bind[j][3]);
    const auto parent = model.skeleton.parent_of(j);
    const std::uint32_t above = parent ? result.of_joint[*parent] : kNone;
    const std::uint32_t same = above == kNone ? kNone : find_same(result, above, position, together);
    if (same != kNone) {
      result.of_joint[j] = same;
      result.clusters[same].joints.push_back(j);
      if (same == above) has_child_here[*parent] = true;
      result.notes.push_back(fmt::format("Joint '{}' has the same position as '{}': on curves they count as one.",
                                         joints[j].name, name_of(model, result.clusters[same])));
      continue;
    }
    result.of_joint[j] = static_cast<std::uint32_t>(result.clusters.size());
    if (above != kNone) result.clusters[above].children.push_back(result.of_joint[j]);
    result.clusters.push_back({.joints = {j}, .position = position, .parent = above});
  }
  for (JointCluster& cluster : result.clusters) {
    std::uint32_t best = kNone;
    for (const std::uint32_t j : cluster.joints) {
      if (!has_child_here[j] && (best == kNone || weights[j] > weights[best])) best = j;
    }
    cluster.lowest = best;
  }
}

// The bone that a twist helper lies on, by the child at its lower end; kNone if there is no such bone.
struct OnBone {
  std::uint32_t child = kNone;
  double length = 0;
};

// Returns the helper `first` and those below it, since helpers may be each other's children; nothing if they branch.
std::vector<std::uint32_t> helpers_from(const JointClusters& tree, std::uint32_t first) {
  std::vector<std::uint32_t> helpers{first};
  while (!tree.clusters[helpers.back()].children.empty()) {
    if (tree.clusters[helpers.back()].children.size() > 1 || helpers.size() == kMaxSiblings) return {};
    helpers.push_back(tree.clusters[helpers.back()].children.front());
  }
  return helpers;
}

OnBone find_bone(const JointClusters& tree, std::uint32_t first) {
  OnBone best;
  const std::uint32_t top = tree.clusters[first].parent;
  if (top == kNone || tree.clusters[top].children.size() > kMaxSiblings) return best;
  const std::vector<std::uint32_t> helpers = helpers_from(tree, first);
  const glm::dvec3 start = tree.clusters[top].position;
  const auto lies_on = [&](const glm::dvec3& bone) {
    double reached = 0;
    for (const std::uint32_t helper : helpers) {
      const glm::dvec3 point = tree.clusters[helper].position - start;
      const double at = glm::dot(point, bone) / glm::dot(bone, bone);
      if (at <= reached || glm::length(point - at * bone) > kBesideBone * glm::length(bone)) return false;
      reached = at;
    }
    return !helpers.empty();
  };
  const double reach = helpers.empty() ? 0.0 : glm::distance(tree.clusters[helpers.back()].position, start);
  for (const std::uint32_t sibling : tree.clusters[top].children) {
    const glm::dvec3 bone = tree.clusters[sibling].position - start;
    const double length = glm::length(bone);
    // Only longer bones count, and the first of equal ones, so that no two helpers lie on each other's bone.
    const bool longer = length > reach || (length == reach && sibling < first);
    if (sibling != first && longer && length > best.length && lies_on(bone)) best = {sibling, length};
  }
  return best;
}

// Removes `from` from the tree: its joints count as those of `to`.
void merge_into(JointClusters& tree, std::uint32_t from, std::uint32_t to) {
  for (const std::uint32_t j : tree.clusters[from].joints) {
    tree.of_joint[j] = to;
    tree.clusters[to].joints.push_back(j);
  }
  std::ranges::sort(tree.clusters[to].joints);
  tree.clusters[from] = {};
}

// Makes `helpers` part of the bone down to `child`.
void thread_bone(const Model& model, std::span<const std::uint32_t> helpers, std::uint32_t child, JointClusters& tree) {
  const std::uint32_t top = tree.clusters[child].parent;
  const glm::dvec3 start = tree.clusters[top].position;
  const glm::dvec3 end = tree.clusters[child].position;
  const auto along = [&](std::uint32_t p) { return share_along(tree.clusters[p].position, start, end); };
  std::vector<std::uint32_t> sorted(helpers.begin(), helpers.end());
  std::ranges::stable_sort(sorted, {}, along);
  std::uint32_t above = top;
  double reached = 0;
  for (const std::uint32_t helper : sorted) {
    const double at = along(helper);
    tree.notes.push_back(fmt::format("Joint '{}' lies on the bone from '{}' to '{}' and is part of it.",
                                     name_of(model, tree.clusters[helper]), name_of(model, tree.clusters[top]),
                                     name_of(model, tree.clusters[child])));
    if (at - reached < kAtBoneEnd || 1 - at < kAtBoneEnd) {
      merge_into(tree, helper, 1 - at < kAtBoneEnd ? child : above);
      continue;
    }
    tree.clusters[helper].position = start + at * (end - start);
    tree.clusters[helper].parent = above;
    std::ranges::replace(tree.clusters[above].children, child, helper);
    tree.clusters[helper].children = {child};
    tree.clusters[child].parent = helper;
    above = helper;
    reached = at;
  }
}

// Makes helpers part of a sibling's bone that they lie on. Otherwise a twist helper would make a bifurcation of an
// elbow, and a curve would run down the forearm and up again.
void thread_helpers(const Model& model, JointClusters& tree) {
  const auto count = static_cast<std::uint32_t>(tree.clusters.size());
  std::vector<OnBone> bones(count);
  for (std::uint32_t p = 0; p < count; ++p) bones[p] = find_bone(tree, p);
  std::vector<std::vector<std::uint32_t>> helpers(count);  // helpers on each bone, by the child at its lower end
  for (std::uint32_t p = 0; p < count; ++p) {
    std::uint32_t child = bones[p].child;
    if (child == kNone) continue;
    // The bone itself may end at a helper; each step finds a longer one.
    while (bones[child].child != kNone) child = bones[child].child;
    const std::vector<std::uint32_t> below = helpers_from(tree, p);
    helpers[child].insert(helpers[child].end(), below.begin(), below.end());
    std::erase(tree.clusters[tree.clusters[p].parent].children, p);
  }
  for (std::uint32_t child = 0; child < count; ++child) {
    if (!helpers[child].empty()) thread_bone(model, helpers[child], child, tree);
  }
}

void drop_merged(JointClusters& tree) {
  std::vector<std::uint32_t> now(tree.clusters.size(), kNone);
  std::vector<JointCluster> kept;
  for (std::uint32_t p = 0; p < tree.clusters.size(); ++p) {
    if (tree.clusters[p].joints.empty()) continue;
    now[p] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(tree.clusters[p]));
  }
  for (JointCluster& cluster : kept) {
    if (cluster.parent != kNone) cluster.parent = now[cluster.parent];
    for (std::uint32_t& child : cluster.children) child = now[child];
  }
  for (std::uint32_t& p : tree.of_joint) {
    if (p != kNone) p = now[p];
  }
  tree.clusters = std::move(kept);
}

}  // namespace

const std::string& name_of(const Model& model, const JointCluster& cluster) {
  return model.skeleton.joints[cluster.first_joint()].name;
}

std::vector<const Mesh*> find_skins(const Model& model, std::span<const std::uint32_t> meshes) {
  std::vector<const Mesh*> skins;
  for (const std::uint32_t m : meshes) {
    if (model.meshes[m].weights.row_count() > 0) skins.push_back(&model.meshes[m]);
  }
  if (!skins.empty()) return skins;
  for (const Mesh& mesh : model.meshes) {
    if (mesh.weights.row_count() > 0) skins.push_back(&mesh);
  }
  return skins;
}

std::vector<bool> find_body(const Model& model, std::span<const Mesh* const> skins, std::span<const glm::dmat4> bind,
                            std::vector<std::string>& notes) {
  const std::vector<double> weights = joint_weights(model, skins);
  const std::vector<Joint>& joints = model.skeleton.joints;
  const std::vector<bool> is_patch = patch_joints(model.skeleton);
  std::vector<bool> leads(joints.size());  // true if the joint or one below it has weights
  std::vector<std::uint32_t> branches(joints.size(), 0);
  for (std::size_t j = joints.size(); j-- > 0;) {
    leads[j] = (weights[j] > 0 && !is_patch[j]) || branches[j] > 0;
    const auto parent = model.skeleton.parent_of(j);
    if (leads[j] && parent) ++branches[*parent];
  }
  std::vector<bool> body(joints.size());
  int tests = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (is_patch[j]) continue;
    const auto parent = model.skeleton.parent_of(j);
    body[j] = weights[j] > 0 || (leads[j] && parent && body[*parent]);
    if (body[j] || branches[j] < 2) continue;
    body[j] = tests++ < kMaxEnclosureTests && encloses(skins, glm::dvec3(bind[j][3]));
    if (!body[j]) {
      notes.push_back(fmt::format(
          "Joint '{}' has no weights and is outside the skin: no curve joins the skeletons below it.", joints[j].name));
    }
  }
  return body;
}

JointClusters find_joint_clusters(const Model& model, std::span<const Mesh* const> skins,
                                  std::span<const glm::dmat4> bind) {
  JointClusters result;
  const std::vector<double> weights = joint_weights(model, skins);
  const std::vector<bool> body = find_body(model, skins, bind, result.notes);
  const double together = kTogether * extent_of(bind, body);
  gather(model, weights, bind, body, together, result);
  thread_helpers(model, result);
  drop_merged(result);
  split_roots(model, skins, together, result);
  find_tips(model, skins, bind, together, result);
  return result;
}

std::uint32_t turning_joint(const Model& model, const JointClusters& tree, std::uint32_t p, std::uint32_t child) {
  if (tree.clusters[child].joints.empty()) return tree.clusters[p].lowest;
  const auto joint = model.skeleton.parent_of(tree.clusters[child].joints.front());
  return joint && tree.of_joint[*joint] == p ? *joint : tree.clusters[p].lowest;
}

}  // namespace pelt::chain
