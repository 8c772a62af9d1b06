// SPDX-License-Identifier: MIT
#pragma once

#include <glm/glm.hpp>

namespace pelt {

// Returns the fraction, 0 to 1, of the way along a segment to its point closest to `point`; 0 if it has no length.
template <class Vector>
typename Vector::value_type share_along(const Vector& point, const Vector& from, const Vector& to) {
  using Number = typename Vector::value_type;
  const Vector way = to - from;
  const Number squared = glm::dot(way, way);
  return squared > 0 ? glm::clamp(glm::dot(point - from, way) / squared, Number(0), Number(1)) : Number(0);
}

}  // namespace pelt
