// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/from_skin/joint_spread.h"

#include <algorithm>

#include <pelt/tools/joint_roles.h>

namespace pelt::from_skin {
namespace {

constexpr float kBallRadii = 3;
constexpr float kHingeRadii = 1;
constexpr float kMaxBones = 0.75f;  // fraction of the shorter bone; wider transitions make hoses of short bones
constexpr float kMinScale = 0.01f;  // smallest difference of scale that counts, as a fraction

float radii_of(JointKind kind) {
  switch (kind) {
    case JointKind::kNone:
    case JointKind::kBall:
      return kBallRadii;
    case JointKind::kHinge:
      return kHingeRadii;
    case JointKind::kTwist:
    case JointKind::kPatch:
      break;
  }
  return 0;
}

// Returns true if a channel changes the scale of a joint from that of the rest pose.
bool scales(const Channel& channel, const glm::vec3& rest) {
  // A key of a cubic spline is a value between two tangents.
  const bool cubic = channel.interpolation == Interpolation::kCubicSpline;
  for (std::size_t i = cubic ? 3 : 0; i + 3 <= channel.values.size(); i += cubic ? 9 : 3) {
    const glm::vec3 value(channel.values[i], channel.values[i + 1], channel.values[i + 2]);
    if (glm::distance(value, rest) > kMinScale * glm::length(rest)) return true;
  }
  return false;
}

// Returns true for each joint of the skeleton that is scaled unevenly in the rest pose, or by a clip.
std::vector<bool> scaled_joints(const Model& model) {
  std::vector<bool> scaled;
  for (const Joint& joint : model.skeleton.joints) {
    const glm::vec3 scale = glm::abs(joint.rest.scale);
    const auto [least, most] = std::minmax({scale.x, scale.y, scale.z});
    scaled.push_back(most - least > kMinScale * most);
  }
  for (const Clip& clip : model.clips) {
    for (const Channel& channel : clip.channels) {
      if (channel.path == ChannelPath::kScale && channel.joint < scaled.size() &&
          scales(channel, model.skeleton.joints[channel.joint].rest.scale)) {
        scaled[channel.joint] = true;
      }
    }
  }
  return scaled;
}

}  // namespace

std::vector<Transition> joint_transitions(const Model& model, std::optional<float> radii) {
  if (radii) return std::vector<Transition>(model.bound_joints.size(), {.radii = *radii});
  const std::vector<JointUse> uses = joint_uses(model.skeleton);
  const std::vector<bool> scaled = scaled_joints(model);
  std::vector<Transition> transitions;
  for (const BoundJoint& bound : model.bound_joints) {
    const JointKind kind = uses[bound.joint].kind;
    transitions.push_back({.radii = scaled[bound.joint] ? 0.0f : radii_of(kind),
                           .bones = kMaxBones,
                           .patches = kind != JointKind::kNone});
  }
  return transitions;
}

SparseRows spread_along(const Mesh& mesh, std::optional<float> spread, const Model& model, unsigned threads) {
  const std::vector<Transition> transitions = joint_transitions(model, spread);
  return cut_rows(spread_weights(mesh, mesh.weights, model, transitions, threads), kMaxTransferred, Cut::kHard);
}

}  // namespace pelt::from_skin
