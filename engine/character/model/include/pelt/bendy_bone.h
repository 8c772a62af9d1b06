// SPDX-License-Identifier: MIT
// The bendy-bone properties of a bone of Blender, with Blender's names without `bbone_`. docs/bendy_bones.md says how
// they are used.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>

namespace pelt {

// `in` is at the bone's head, `out` at its tail. The bone's space has y along the bone, z = the joint's z, and x = y x
// z.
struct BendyBone {
  std::optional<std::uint32_t> segments;  // 1: the bone does not bend, and the other values have no effect
  std::optional<float> ease_in;           // scale of the handles: 1 is Blender's default, 0 to 10
  std::optional<float> ease_out;
  float roll_in = 0;  // degrees about y, at most 3600 either way
  float roll_out = 0;
  glm::vec2 curve_in{0.0f};  // x, z in units of the joint's space: offsets of the handles, at most 1000 either way
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
