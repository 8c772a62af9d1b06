// SPDX-License-Identifier: MIT
#include "engine/character/model/helper_joint.h"

#include <algorithm>
#include <cmath>
#include <glm/glm.hpp>

#include <pelt/finite.h>
#include <pelt/pose.h>
#include <pelt/try.h>

#include "engine/character/base/invalid.h"
#include "engine/character/model/skeleton_walk.h"
#include "shaders/swing_twist.h"

namespace pelt {
namespace {

bool is_unit(const glm::vec4& v) { return std::abs(glm::length(v) - 1.0f) < 1e-3f; }

// Returns the direction from a joint to its children or, without children, its direction from its parent, in joint
// space; along x if neither exists.
glm::vec3 bone_direction(const Skeleton& skeleton, std::uint32_t joint, const std::vector<glm::mat4>& rest) {
  const glm::vec3 bone = bone_of(skeleton, joint, [&](std::uint32_t j) { return glm::vec3(rest[j][3]); });
  const glm::mat3 axes = shared::orthonormal_axes(shared::turning_axes(glm::mat3(rest[joint]), 0.0f));
  return shared::normalize_or(glm::transpose(axes) * bone, glm::vec3(1, 0, 0));
}

// Returns the number of helper joints that must be turned before helper h, or their total number if they depend on each
// other in a cycle. `helper_of`: the helper of each joint, or -1.
std::size_t depth_of(std::size_t h, const Skeleton& skeleton, const std::vector<std::int64_t>& helper_of) {
  const auto source_of = [&](std::size_t helper) { return helper_of[skeleton.helpers[helper].source]; };
  std::size_t depth = 0;
  for (std::int64_t next = source_of(h); next >= 0 && depth < skeleton.helpers.size(); ++depth) {
    next = source_of(static_cast<std::size_t>(next));
  }
  return depth;
}

Result<void> check_helper(const Skeleton& skeleton, const HelperJoint& helper) {
  const std::size_t count = skeleton.joints.size();
  if (helper.joint >= count || helper.source >= count || helper.last >= count) {
    return invalid("a helper joint names joint {}, but there are only {}",
                   std::max({helper.joint, helper.source, helper.last}), count);
  }
  const std::string& name = skeleton.joints[helper.joint].name;
  const std::string& source = skeleton.joints[helper.source].name;
  if (helper.joint == helper.source) return invalid("the helper joint '{}' is its own source", name);
  if (skeleton.joints[helper.source].parent < 0) {
    return invalid(
        "the helper joint '{}' turns with '{}', which has no parent: its turn is that of the whole character", name,
        source);
  }
  if (hangs_below(skeleton, helper.source, helper.joint)) {
    return invalid("the helper joint '{}' turns with '{}', which is below it", name, source);
  }
  if (helper.last < helper.joint || (helper.last > helper.joint && !hangs_below(skeleton, helper.last, helper.joint))) {
    return invalid("the helper joint '{}' lists '{}' as the last joint below it, but it is not", name,
                   skeleton.joints[helper.last].name);
  }
  if (!is_unit(glm::vec4(helper.axis, 0)) || !is_unit(helper.source_rest) || !is_unit(helper.source_to_joint)) {
    return invalid("the helper joint '{}' has an axis or a rotation that is not of unit length", name);
  }
  if (!(std::abs(helper.twist) <= kMaxTurnShare && std::abs(helper.swing) <= kMaxTurnShare)) {
    return invalid("the helper joint '{}' takes shares {:g} and {:g} of a turn, which must be -{:g} to {:g}", name,
                   helper.twist, helper.swing, kMaxTurnShare, kMaxTurnShare);
  }
  return {};
}

}  // namespace

HelperJoint make_helper_joint(const Skeleton& skeleton, std::uint32_t joint, std::uint32_t source,
                              const TurnShares& shares) {
  std::vector<glm::mat4> rest(skeleton.joints.size());
  rest_matrices(skeleton, rest);
  const shared::PoseWork work{nullptr, rest.data(), nullptr, nullptr, nullptr};
  HelperJoint helper{.joint = joint, .source = source, .last = joint, .twist = shares.twist, .swing = shares.swing};
  for (std::uint32_t j = joint + 1; j < skeleton.joints.size(); ++j) {
    if (hangs_below(skeleton, j, joint)) helper.last = j;
  }
  const bool has_axis = shares.axis != glm::vec3(0.0f);
  helper.axis = has_axis ? glm::vec3(glm::normalize(glm::dvec3(shares.axis))) : bone_direction(skeleton, source, rest);
  const std::uint32_t parent = *skeleton.parent_of(source);
  helper.source_rest = shared::joint_turn(work, source, parent, glm::vec4(0, 0, 0, 1));
  helper.source_to_joint = shared::quaternion_product(shared::quaternion_conjugate(shared::joint_rotation(work, joint)),
                                                      shared::joint_rotation(work, source));
  return helper;
}

Result<void> sort_helpers(Skeleton& skeleton) {
  std::vector<std::int64_t> helper_of(skeleton.joints.size(), -1);
  for (std::size_t h = 0; h < skeleton.helpers.size(); ++h) {
    helper_of[skeleton.helpers[h].joint] = static_cast<std::int64_t>(h);
  }
  std::vector<std::vector<HelperJoint>> by_depth(skeleton.helpers.size());
  for (std::size_t h = 0; h < skeleton.helpers.size(); ++h) {
    const std::size_t depth = depth_of(h, skeleton, helper_of);
    if (depth == skeleton.helpers.size()) {
      return invalid("the helper joint '{}' turns with helper joints that turn with it",
                     skeleton.joints[skeleton.helpers[h].joint].name);
    }
    by_depth[depth].push_back(skeleton.helpers[h]);
  }
  skeleton.helpers.clear();
  for (const std::vector<HelperJoint>& helpers : by_depth) {
    skeleton.helpers.insert(skeleton.helpers.end(), helpers.begin(), helpers.end());
  }
  return {};
}

Result<void> check_helpers(const Skeleton& skeleton) {
  std::vector<bool> is_turned(skeleton.joints.size(), false);
  std::vector<bool> is_read(skeleton.joints.size(), false);
  for (const HelperJoint& helper : skeleton.helpers) {
    PELT_TRY(check_helper(skeleton, helper));
    const std::string& name = skeleton.joints[helper.joint].name;
    if (is_turned[helper.joint]) return invalid("two helper joints are '{}'", name);
    if (is_read[helper.joint]) return invalid("the helper joint '{}' comes after one that turns with it", name);
    is_turned[helper.joint] = true;
    is_read[helper.source] = true;
  }
  return {};
}

}  // namespace pelt
