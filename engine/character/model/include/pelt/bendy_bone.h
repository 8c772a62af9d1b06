// SPDX-License-Identifier: MIT
// The bendy-bone properties of a Blender bone, named as in Blender without `bbone_`. docs/bendy_bones.md describes
// their use.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>

namespace pelt {

// `in` is at the bone's head, `out` at its tail. In the bone's space y runs along the bone, z is the joint's z, and x =
// y x z.
struct BendyBone {
  std::optional<std::uint32_t> segments;  // 1: the bone does not bend, and the other values have no effect
  std::optional<float> ease_in;           // scale of the handles: 1 is Blender's default, 0 to 10
  std::optional<float> ease_out;
  float roll_in = 0;  // degrees about y, within +-3600
  float roll_out = 0;
  glm::vec2 curve_in{0.0f};  // x, z in units of joint space: offsets of the handles, within +-1000
  glm::vec2 curve_out{0.0f};
  glm::vec3 scale_in{1.0f};  // 0.001 to 1000
  glm::vec3 scale_out{1.0f};
  friend bool operator==(const BendyBone&, const BendyBone&) = default;
};

// Ranges of the values.
inline constexpr float kMaxEase = 10;
inline constexpr float kMaxRoll = 3600;
inline constexpr float kMaxCurve = 1000;
inline constexpr float kMinScale = 0.001f;
inline constexpr float kMaxScale = 1000;

// Returns Blender's name of a property that is out of its range, or nullptr.
const char* wrong_property(const BendyBone& bone);

}  // namespace pelt
