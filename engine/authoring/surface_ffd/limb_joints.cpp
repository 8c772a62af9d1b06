// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/limb_joints.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include <pelt/tools/joint_roles.h>

#include "engine/authoring/geometry/bone_forest.h"

namespace pelt::surface_ffd {

std::vector<LimbJoint> find_limb_joints(const Model& model, const SparseRows& weights) {
  std::vector<LimbJoint> joints;
  if (weights.row_count() == 0) return joints;
  const std::vector<JointUse> uses = joint_uses(model.skeleton);
  const std::vector<Bone> bones = bone_forest(model);
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    const JointUse& use = uses[model.bound_joints[b].joint];
    constexpr JointRole kRoles[] = {JointRole::kThigh, JointRole::kShin, JointRole::kUpperArm, JointRole::kForearm};
    const bool is_helper = use.kind == JointKind::kTwist;
    if (std::ranges::find(kRoles, use.role) == std::end(kRoles) || is_helper || !bones[b].is_somewhere ||
        bones[b].first != b)
      continue;
    LimbJoint joint{.place = bones[b].origin, .limb_weights = {}};
    const std::vector<bool> is_of_limb = bound_at_or_below(model, model.bound_joints[b].joint);
    for (std::size_t v = 0; v < weights.row_count(); ++v) {
      float sum = 0;
      for (const Influence& influence : weights.row(v)) sum += is_of_limb[influence.index] ? influence.weight : 0.0f;
      joint.limb_weights.push_back(sum);
    }
    joints.push_back(std::move(joint));
  }
  return joints;
}

float kept_at_limb_joints(std::span<const LimbJoint> joints, const glm::vec3& point, std::span<const Influence> row,
                          std::span<const glm::vec3> gradients, std::uint32_t first_entry) {
  // A bend by 60 degrees changes lengths along the skin by the fraction `most` below. Part of a gradient would show
  // part of a fold, so all of it goes as soon as it shows.
  constexpr float kShows = 0.1f;
  float most = 0;
  for (const LimbJoint& joint : joints) {
    glm::vec3 slope(0);  // of the limb's weight, per metre
    for (std::size_t i = 0; i < row.size(); ++i) slope += joint.limb_weights[row[i].index - first_entry] * gradients[i];
    most = std::max(most, glm::length(slope) * glm::distance(point, joint.place));
  }
  return 1 - glm::smoothstep(0.0f, kShows, most);
}

}  // namespace pelt::surface_ffd
