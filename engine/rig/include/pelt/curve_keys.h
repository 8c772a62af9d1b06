// SPDX-License-Identifier: MIT
// Values keyed over angles, places and fractions.
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <span>
#include <string>

namespace pelt {

class Fields;

// A value at a place, an angle, a fraction: piecewise, over ascending `at`.
struct CurveKey {
  float at = 0;
  float value = 0;
  friend bool operator==(const CurveKey&, const CurveKey&) = default;
};

// The turn of a joint, which has a parent, about an axis of its own, from rest, relative to that parent.
struct KeyAngle {
  std::string joint;
  glm::vec3 axis{0.0f, 0.0f, 1.0f};  // in the joint's space, any length but 0
  friend bool operator==(const KeyAngle&, const KeyAngle&) = default;
};

void describe(Fields& fields, KeyAngle& angle);

// Slope at key k of the monotone cubic (Fritsch & Carlson 1980): the weighted harmonic mean of the slopes beside it, 0
// where they differ in sign, and of a single key.
// Precondition: keys ascend.
double monotone_slope(std::span<const CurveKey> keys, std::size_t k);

}  // namespace pelt
