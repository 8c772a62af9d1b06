// SPDX-License-Identifier: MIT
// Values with keys at angles, positions or fractions.
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <span>
#include <string>

namespace pelt {

class Fields;

// A key of a piecewise curve: a value at an angle, position or fraction. Keys ascend by `at`.
struct CurveKey {
  float at = 0;
  float value = 0;
  friend bool operator==(const CurveKey&, const CurveKey&) = default;
};

// The turn of a joint about one of its own axes, from the rest pose, relative to its parent. The joint must have a
// parent.
struct KeyAngle {
  std::string joint;
  glm::vec3 axis{0.0f, 0.0f, 1.0f};  // in the joint's space, of any length except 0
  friend bool operator==(const KeyAngle&, const KeyAngle&) = default;
};

void describe(Fields& fields, KeyAngle& angle);

// Returns the slope at key k of the monotone cubic (Fritsch & Carlson 1980): the weighted harmonic mean of the slopes
// on both sides, 0 if they differ in sign; the one slope at either end; 0 for a single key. Precondition: keys ascend.
double monotone_slope(std::span<const CurveKey> keys, std::size_t k);

}  // namespace pelt
