// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <type_traits>

namespace pelt {

// Largest coordinate, metres: its square and cube still fit a float, so areas and volumes do. File readers, bind and
// Character::create reject larger ones.
inline constexpr float kMaxCoordinate = 1e12f;

// Returns true if every number of a vector, quaternion or matrix is finite.
inline bool is_finite(float value) { return std::isfinite(value); }

template <glm::length_t n, class T, glm::qualifier q>
bool is_finite(const glm::vec<n, T, q>& v) {
  for (glm::length_t i = 0; i < n; ++i) {
    if (!std::isfinite(v[i])) return false;
  }
  return true;
}

template <glm::length_t columns, glm::length_t rows, class T, glm::qualifier q>
bool is_finite(const glm::mat<columns, rows, T, q>& m) {
  for (glm::length_t i = 0; i < columns; ++i) {
    if (!is_finite(m[i])) return false;
  }
  return true;
}

inline bool is_finite(const glm::quat& q) { return is_finite(glm::vec4(q.x, q.y, q.z, q.w)); }

// Returns true if every number of a vector or matrix is finite and within kMaxCoordinate of 0.
template <class T>
requires std::is_arithmetic_v<T>
bool is_near(T value) { return std::abs(value) <= kMaxCoordinate; }

template <glm::length_t n, class T, glm::qualifier q>
bool is_near(const glm::vec<n, T, q>& v) {
  for (glm::length_t i = 0; i < n; ++i) {
    if (!is_near(v[i])) return false;
  }
  return true;
}

template <glm::length_t columns, glm::length_t rows, class T, glm::qualifier q>
bool is_near(const glm::mat<columns, rows, T, q>& m) {
  for (glm::length_t i = 0; i < columns; ++i) {
    if (!is_near(m[i])) return false;
  }
  return true;
}

}  // namespace pelt
