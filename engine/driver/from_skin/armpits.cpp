// SPDX-License-Identifier: MIT
#include "engine/driver/from_skin/armpits.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <pelt/tools/joint_roles.h>

#include "engine/model/skeleton_walk.h"

namespace pelt::from_skin {
namespace {

constexpr float kLower = 0.7f;    // cosine of the angle to the lower side up to which all that passes is of an armpit
constexpr float kMixed = 0.25f;   // weight of the arm, and of the trunk, from which a vertex passes completely
constexpr float kMinSine = 0.1f;  // of the angle between arm and trunk, below which the arm has no lower side

glm::vec3 place_of(const BoundJoint& bound) { return glm::vec3(glm::inverse(bound.inverse_bind)[3]); }

// Returns true for each bound joint that is `joint` or hangs below it.
std::vector<bool> joints_of(std::uint32_t joint, const Model& model) {
  std::vector<bool> of;
  for (const BoundJoint& bound : model.bound_joints) {
    of.push_back(bound.joint == joint || hangs_below(model.skeleton, bound.joint, joint));
  }
  return of;
}

// Returns the place of the first forearm below an upper arm.
std::optional<glm::vec3> elbow_of(std::uint32_t arm, const Model& model, std::span<const JointUse> uses) {
  for (const BoundJoint& bound : model.bound_joints) {
    const bool is_forearm =
        uses[bound.joint].role == JointRole::kForearm && uses[bound.joint].kind == JointKind::kHinge;
    if (is_forearm && hangs_below(model.skeleton, bound.joint, arm)) return place_of(bound);
  }
  return std::nullopt;
}

// Returns the place of the bound joint that an arm hangs on and that hangs on no other itself: hips as a rule.
std::optional<glm::vec3> foot_of_trunk(std::uint32_t arm, const Model& model) {
  std::optional<std::uint32_t> foot;
  for (std::uint32_t b = 0; b < model.bound_joints.size(); ++b) {
    const std::uint32_t joint = model.bound_joints[b].joint;
    if (!hangs_below(model.skeleton, arm, joint)) continue;
    if (!foot || hangs_below(model.skeleton, model.bound_joints[*foot].joint, joint)) foot = b;
  }
  if (!foot) return std::nullopt;
  return place_of(model.bound_joints[*foot]);
}

}  // namespace

Armpits::Armpits(const Model& model) {
  const std::vector<JointUse> uses = joint_uses(model.skeleton);
  for (const BoundJoint& bound : model.bound_joints) {
    const JointUse& use = uses[bound.joint];
    if (use.role != JointRole::kUpperArm || use.kind != JointKind::kBall) continue;
    const std::optional<glm::vec3> elbow = elbow_of(bound.joint, model, uses);
    const std::optional<glm::vec3> foot = foot_of_trunk(bound.joint, model);
    if (!elbow || !foot) continue;
    const glm::vec3 shoulder = place_of(bound);
    const glm::vec3 arm = *elbow - shoulder, trunk = *foot - shoulder;
    if (!(glm::length(arm) > 0)) continue;
    const glm::vec3 across = trunk - arm * (glm::dot(trunk, arm) / glm::dot(arm, arm));
    if (!(glm::length(across) > kMinSine * glm::length(trunk))) continue;
    shoulders_.push_back({shoulder, glm::normalize(across), joints_of(bound.joint, model)});
  }
}

float Armpits::share(const glm::vec3& position, std::span<const Influence> weights) const {
  float most = 0;
  for (const Shoulder& shoulder : shoulders_) {
    float of_arm = 0;
    for (const Influence& influence : weights) of_arm += shoulder.of_arm[influence.index] ? influence.weight : 0.0f;
    const glm::vec3 way = position - shoulder.place;
    const float passed = glm::smoothstep(0.0f, kMixed, std::min(of_arm, 1 - of_arm));
    const float along = glm::dot(way, shoulder.lower);  // metres
    if (along > 0) most = std::max(most, passed * glm::smoothstep(0.0f, kLower, along / glm::length(way)));
  }
  return most;
}

}  // namespace pelt::from_skin
