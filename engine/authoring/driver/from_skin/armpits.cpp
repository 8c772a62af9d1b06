// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/from_skin/armpits.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <pelt/tools/joint_roles.h>

#include "engine/authoring/geometry/bone_forest.h"
#include "engine/character/model/skeleton_walk.h"

namespace pelt::from_skin {
namespace {

constexpr float kLower = 0.7f;    // cosine of the angle to the lower side up to which all spanning skin is in an armpit
constexpr float kMixed = 0.25f;   // weight of the arm, and of the trunk, from which a vertex spans completely
constexpr float kMinSine = 0.1f;  // of the angle between arm and trunk; below it the arm has no lower side

// Returns the index, in Model::bound_joints, of the first forearm below an upper arm.
std::optional<std::size_t> forearm_of(std::uint32_t arm, const Model& model, std::span<const JointUse> uses) {
  for (std::size_t b = 0; b < model.bound_joints.size(); ++b) {
    const std::uint32_t joint = model.bound_joints[b].joint;
    const bool is_forearm = uses[joint].role == JointRole::kForearm && uses[joint].kind == JointKind::kHinge;
    if (is_forearm && hangs_below(model.skeleton, joint, arm)) return b;
  }
  return std::nullopt;
}

}  // namespace

Armpits::Armpits(const Model& model) {
  const std::vector<JointUse> uses = joint_uses(model.skeleton);
  const std::vector<Bone> bones = bone_forest(model);
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const std::uint32_t joint = model.bound_joints[b].joint;
    if (uses[joint].role != JointRole::kUpperArm || uses[joint].kind != JointKind::kBall) continue;
    const std::optional<std::size_t> forearm = forearm_of(joint, model, uses);
    if (bones[b].parent < 0 || !forearm || !bones[*forearm].is_somewhere) continue;
    auto foot = static_cast<std::size_t>(bones[b].parent);  // of the trunk: usually the hips
    while (bones[foot].parent >= 0) foot = static_cast<std::size_t>(bones[foot].parent);
    const glm::vec3 shoulder(bones[b].origin);
    const glm::vec3 arm = glm::vec3(bones[*forearm].origin) - shoulder;
    const glm::vec3 trunk = glm::vec3(bones[foot].origin) - shoulder;
    if (!(glm::length(arm) > 0)) continue;
    const glm::vec3 across = trunk - arm * (glm::dot(trunk, arm) / glm::dot(arm, arm));
    if (!(glm::length(across) > kMinSine * glm::length(trunk))) continue;
    shoulders_.push_back({shoulder, glm::normalize(across), bound_at_or_below(model, joint)});
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
