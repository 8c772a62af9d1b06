// SPDX-License-Identifier: MIT
#pragma once

#include <glm/glm.hpp>
#include <limits>
#include <span>

namespace pelt {

// The smallest axis-aligned box that contains some points. Without points, `low` is above `high`.
template <class Vector>
struct Bounds {
  Vector low{std::numeric_limits<typename Vector::value_type>::infinity()};
  Vector high{-std::numeric_limits<typename Vector::value_type>::infinity()};

  void add(const Vector& point) {
    low = glm::min(low, point);
    high = glm::max(high, point);
  }
  void add(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles) {
    for (const glm::uvec3& t : triangles) {
      for (int corner = 0; corner < 3; ++corner) add(Vector(positions[t[corner]]));
    }
  }

  Vector size() const { return high - low; }
  // Returns the axis of the longest side; of equal ones, the first.
  int longest_axis() const {
    const Vector sides = size();
    return sides.x >= sides.y && sides.x >= sides.z ? 0 : sides.y >= sides.z ? 1 : 2;
  }
};

// Returns the bounds of points; Vector may be more precise than Point.
template <class Vector, class Point>
Bounds<Vector> bounds_of(std::span<const Point> points) {
  Bounds<Vector> bounds;
  for (const Point& point : points) bounds.add(Vector(point));
  return bounds;
}

}  // namespace pelt
