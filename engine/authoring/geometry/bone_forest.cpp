// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/bone_forest.h"

#include <algorithm>
#include <cmath>

#include "engine/authoring/geometry/segment.h"
#include "engine/character/model/skeleton_walk.h"

namespace pelt {

std::vector<Bone> bone_forest(const Model& model) {
  constexpr int kNone = -1;
  std::vector<Bone> bones(model.bound_joints.size());
  // Bone at each joint; later the nearest bone at or above it.
  std::vector<int> nearest(model.skeleton.joints.size(), kNone);
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    const BoundJoint& bound = model.bound_joints[b];
    const glm::dmat4 inverse_bind(bound.inverse_bind);
    bones[b].first = b;
    bones[b].is_somewhere = std::abs(glm::determinant(glm::dmat3(inverse_bind))) > 0;
    if (!bones[b].is_somewhere) continue;
    bones[b].origin = glm::dvec3(glm::inverse(inverse_bind)[3]);
    int& at = nearest[bound.joint];
    if (at == kNone) at = static_cast<int>(b);
    bones[b].first = static_cast<std::uint32_t>(at);
  }
  std::vector<int> above(nearest.size(), kNone);
  for (std::size_t j = 0; j < nearest.size(); ++j) {
    if (const auto parent = model.skeleton.parent_of(j)) above[j] = nearest[*parent];
    if (nearest[j] == kNone) nearest[j] = above[j];
  }
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    if (!bones[b].is_somewhere) continue;
    bones[b].parent = above[model.bound_joints[b].joint];
    if (bones[b].parent != kNone) bones[static_cast<std::size_t>(bones[b].parent)].children.push_back(b);
  }
  return bones;
}

std::vector<bool> bound_at_or_below(const Model& model, std::uint32_t joint) {
  std::vector<bool> are;
  for (const BoundJoint& bound : model.bound_joints) {
    are.push_back(bound.joint == joint || hangs_below(model.skeleton, bound.joint, joint));
  }
  return are;
}

double distance_to_segment(const glm::dvec3& point, const glm::dvec3& from, const glm::dvec3& to) {
  return glm::distance(point, from + share_along(point, from, to) * (to - from));
}

double distance_to_bones(const glm::dvec3& point, const std::vector<Bone>& bones, std::uint32_t joint) {
  const Bone& bone = bones[joint];
  double least = glm::distance(point, bone.origin);
  if (bone.parent >= 0) {
    least = distance_to_segment(point, bones[static_cast<std::size_t>(bone.parent)].origin, bone.origin);
  }
  for (const std::uint32_t child : bone.children) {
    least = std::min(least, distance_to_segment(point, bone.origin, bones[child].origin));
  }
  return least;
}

}  // namespace pelt
