// SPDX-License-Identifier: MIT
#include <cmath>

#include <pelt/bendy_bone.h>

namespace pelt {
namespace {

bool is_ease(const std::optional<float>& ease) { return !ease || (*ease >= 0 && *ease <= kMaxEase); }

bool is_roll(float degrees) { return std::abs(degrees) <= kMaxRoll; }

bool is_curve(const glm::vec2& offset) { return std::abs(offset.x) <= kMaxCurve && std::abs(offset.y) <= kMaxCurve; }

bool is_scale(const glm::vec3& scale) {
  const auto in_range = [](float value) { return value >= kMinScale && value <= kMaxScale; };
  return in_range(scale.x) && in_range(scale.y) && in_range(scale.z);
}

}  // namespace

const char* wrong_property(const BendyBone& bone) {
  if (bone.segments && *bone.segments == 0) return "bbone_segments";
  if (!is_ease(bone.ease_in)) return "bbone_easein";
  if (!is_ease(bone.ease_out)) return "bbone_easeout";
  if (!is_roll(bone.roll_in)) return "bbone_rollin";
  if (!is_roll(bone.roll_out)) return "bbone_rollout";
  if (!is_curve(bone.curve_in)) return "bbone_curvein";
  if (!is_curve(bone.curve_out)) return "bbone_curveout";
  if (!is_scale(bone.scale_in)) return "bbone_scalein";
  if (!is_scale(bone.scale_out)) return "bbone_scaleout";
  return nullptr;
}

}  // namespace pelt
