// SPDX-License-Identifier: MIT
#include "engine/driver/from_skin/armpits.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <pelt/tools/joint_roles.h>

#include "engine/model/skeleton_walk.h"

namespace pelt::from_skin {
namespace {

constexpr float kNear = 1.3f;         // radii within which nothing is of an armpit
constexpr float kFar = 2.2f;          // radii beyond which all that passes is
constexpr float kMixed = 0.25f;       // weight of the arm, and of the trunk, from which a vertex passes completely
constexpr float kPassage = 0.2f;      // the same, from which a vertex counts for the radius
constexpr std::size_t kNearest = 10;  // one in so many of these vertices is within the radius

// Returns true for each bound joint that is `joint` or hangs below it.
std::vector<bool> joints_of(std::uint32_t joint, const Model& model) {
  std::vector<bool> of;
  for (const BoundJoint& bound : model.bound_joints) {
    of.push_back(bound.joint == joint || hangs_below(model.skeleton, bound.joint, joint));
  }
  return of;
}

}  // namespace

// Returns the lesser of the weights of the arm and of the trunk.
float Armpits::Shoulder::passed(std::span<const Influence> weights) const {
  float arm = 0;
  for (const Influence& influence : weights) arm += of_arm[influence.index] ? influence.weight : 0.0f;
  return std::min(arm, 1 - arm);
}

Armpits::Armpits(std::span<const glm::vec3> positions, const SparseRows& weights, const Model& model) {
  const std::vector<JointUse> uses = joint_uses(model.skeleton);
  for (const BoundJoint& bound : model.bound_joints) {
    const JointUse& use = uses[bound.joint];
    if (use.role != JointRole::kUpperArm || use.kind != JointKind::kBall) continue;
    Shoulder shoulder{.place = glm::vec3(glm::inverse(bound.inverse_bind)[3]), .of_arm = joints_of(bound.joint, model)};
    std::vector<float> distances;
    for (std::size_t v = 0; v < positions.size(); ++v) {
      if (shoulder.passed(weights.row(v)) > kPassage) distances.push_back(glm::distance(positions[v], shoulder.place));
    }
    if (distances.empty()) continue;
    const auto nearest = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / kNearest);
    std::ranges::nth_element(distances, nearest);
    shoulder.radius = *nearest;
    shoulders_.push_back(std::move(shoulder));
  }
}

float Armpits::share(const glm::vec3& position, std::span<const Influence> weights) const {
  float most = 0;
  for (const Shoulder& shoulder : shoulders_) {
    const float distance = glm::distance(position, shoulder.place);
    most = std::max(most, glm::smoothstep(0.0f, kMixed, shoulder.passed(weights)) *
                              glm::smoothstep(kNear * shoulder.radius, kFar * shoulder.radius, distance));
  }
  return most;
}

}  // namespace pelt::from_skin
