// SPDX-License-Identifier: MIT
#include "engine/surface_ffd/joint_spread.h"

#include <cstdlib>

#include "engine/rig/joint_roles.h"

namespace pelt::surface_ffd {
namespace {

float env(const char* name, float fallback) { return getenv(name) ? static_cast<float>(atof(getenv(name))) : fallback; }

}  // namespace

std::vector<float> joint_spread(const Model& model, std::optional<float> radii) {
  std::vector<float> result(model.bound_joints.size(), radii.value_or(0));
  if (radii) return result;
  const std::vector<JointUse> uses = joint_uses(model.skeleton);
  std::vector<bool> scaled(model.skeleton.joints.size(), false);
  for (const Clip& clip : model.clips) {
    for (const Channel& channel : clip.channels) {
      if (channel.path != ChannelPath::kScale) continue;
      for (const float value : channel.values) {
        if (std::abs(value - 1) > 0.01f) scaled[channel.joint] = true;
      }
    }
  }
  for (std::size_t b = 0; b < result.size(); ++b) {
    const std::uint32_t joint = model.bound_joints[b].joint;
    const glm::vec3 scale = model.skeleton.joints[joint].rest.scale;
    const bool is_scaled = scaled[joint] || std::abs(scale.x - scale.y) + std::abs(scale.y - scale.z) > 0.01f * scale.x;
    switch (uses[joint].kind) {
      case JointKind::kNone:
        result[b] = env("SP_NONE", 3);
        break;
      case JointKind::kBall:
        result[b] = env("SP_BALL", 3);
        break;
      case JointKind::kHinge:
        result[b] = env("SP_HINGE", 1);
        break;
      case JointKind::kTwist:
      case JointKind::kPatch:
        break;
    }
    if (is_scaled) result[b] = 0;
  }
  return result;
}

}  // namespace pelt::surface_ffd
