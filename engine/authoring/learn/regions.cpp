// SPDX-License-Identifier: MIT
#include "engine/authoring/learn/regions.h"

#include <algorithm>
#include <set>
#include <utility>

#include <pelt/pose.h>
#include <pelt/tools/weld.h>

#include "shaders/blend/blend.h"
#include "shaders/swing_twist.h"

namespace pelt::learning {
namespace {

constexpr float kFollows = 0.02f;  // weight from which on a vertex follows a joint
constexpr double kTurns = 0.02;    // radians: a joint that turns less explains nothing

// Returns the rotation vectors of a joint. They are those of joint_angle (shaders/swing_twist.h) in all directions.
// `rest`: rest matrices of all joints.
Eigen::MatrixX3d turns_of(const CharacterData& data, std::span<const glm::mat4> rest, std::uint32_t joint,
                          std::span<const Pose> poses) {
  Eigen::MatrixX3d turns = Eigen::MatrixX3d::Zero(static_cast<Eigen::Index>(poses.size()), 3);
  const auto parent = data.skeleton.parent_of(joint);
  if (!parent) return turns;
  const auto turn = [&](std::span<const glm::mat4> joints, glm::vec4 from) {
    return shared::joint_turn({nullptr, joints.data(), nullptr, nullptr, nullptr}, joint, *parent, from);
  };
  const glm::vec4 local = turn(rest, glm::vec4(0, 0, 0, 1));
  for (std::size_t p = 0; p < poses.size(); ++p) {
    const glm::dvec4 q(shared::shorter_turn(turn(poses[p].joints, local)));
    const double sine = glm::length(glm::dvec3(q));
    const double scale = sine > 0 ? 2 * std::atan2(sine, q.w) / sine : 0;
    turns.row(static_cast<Eigen::Index>(p)) << q.x * scale, q.y * scale, q.z * scale;
  }
  return turns;
}

// Returns the joints that a vertex with these weights follows.
std::vector<std::uint32_t> followed(std::span<const Influence> weights) {
  std::vector<std::uint32_t> joints;
  for (const Influence& influence : weights) {
    if (influence.weight > kFollows) joints.push_back(influence.index);
  }
  return joints;
}

}  // namespace

Regions find_regions(const CharacterData& data, std::span<const Pose> poses) {
  const std::size_t joints = data.skeleton.joints.size();
  Regions regions;
  regions.turns.resize(joints);
  std::vector<bool> turns(joints), bound(joints);
  std::vector<glm::mat4> rests(joints);
  rest_matrices(data.skeleton, rests);
  for (std::uint32_t j = 0; j < joints; ++j) {
    regions.turns[j] = turns_of(data, rests, j, poses);
    turns[j] = regions.turns[j].rows() > 0 && regions.turns[j].rowwise().norm().maxCoeff() > kTurns;
  }
  for (const BoundJoint& joint : data.bound_joints) bound[joint.joint] = true;

  std::uint32_t slices = 0;
  std::vector<glm::vec3> rest;
  for (const CharacterMesh& mesh : data.meshes) {
    if (mesh.control) continue;
    const std::size_t first = regions.joint_of.size();
    regions.joint_of.resize(first + mesh.vertex_count());
    regions.weights.resize(regions.joint_of.size());
    regions.slice_of.resize(regions.joint_of.size());
    rest.resize(regions.joint_of.size());
    const SparseRows rows = painted_rows(mesh);
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
      const std::size_t at = first + mesh.source_vertex[v];
      regions.slice_of[at] = slices + v / shared::kSliceRows;
      rest[at] = mesh.binding.points[v];
      if (rows.row_count() == 0) continue;
      float most = -1;
      for (const Influence& influence : rows.row(v)) {
        const std::uint32_t joint = data.bound_joints[influence.index].joint;
        regions.weights[at].push_back({joint, influence.weight});
        if (std::exchange(most, std::max(most, influence.weight)) < influence.weight) regions.joint_of[at] = joint;
      }
    }
    slices += (mesh.vertex_count() + shared::kSliceRows - 1) / shared::kSliceRows;
  }

  regions.twin = weld_by_position(rest);

  // Joints that share vertices, and the joints without skin that turn them.
  std::vector<std::set<std::uint32_t>> reach(joints);  // by joint that a vertex follows: joints that may shape it
  for (const std::vector<Influence>& weights : regions.weights) {
    const std::vector<std::uint32_t> own = followed(weights);
    for (const std::uint32_t a : own) reach[a].insert(own.begin(), own.end());
  }
  for (std::uint32_t j = 0; j < joints; ++j) {
    const std::set<std::uint32_t> shared_with = reach[j];
    for (std::uint32_t other : shared_with) {
      for (auto above = data.skeleton.parent_of(other); above; above = data.skeleton.parent_of(*above)) {
        if (bound[*above]) break;
        reach[j].insert(*above);
      }
    }
  }
  regions.vertices.resize(joints);
  regions.near.resize(joints);
  std::vector<std::uint32_t> last(joints, ~0u);
  std::vector<std::set<std::uint32_t>> near(joints);
  for (std::uint32_t v = 0; v < regions.weights.size(); ++v) {
    const auto add = [&](std::uint32_t joint) {
      if (turns[joint] && std::exchange(last[joint], v) != v) regions.vertices[joint].push_back(v);
    };
    for (const std::uint32_t own : followed(regions.weights[v])) {
      for (const std::uint32_t joint : reach[own]) add(joint);
    }
    // One without weights may follow any joint.
    for (std::uint32_t joint = 0; joint < joints && regions.weights[v].empty(); ++joint) add(joint);
  }
  for (std::uint32_t j = 0; j < joints; ++j) {
    for (const std::uint32_t joint : reach[j]) near[joint].insert(reach[j].begin(), reach[j].end());
  }
  for (std::uint32_t j = 0; j < joints; ++j) {
    // Skin without weights tells no neighbours: those of the skeleton.
    if (near[j].empty() && !regions.vertices[j].empty()) {
      near[j].insert(j);
      if (const auto parent = data.skeleton.parent_of(j)) near[j].insert(*parent);
    }
    std::ranges::copy_if(near[j], std::back_inserter(regions.near[j]), [&](std::uint32_t k) { return turns[k]; });
  }
  return regions;
}

}  // namespace pelt::learning
