// SPDX-License-Identifier: MIT
// Closest points on triangles: distances in double precision, found through Embree's hierarchy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/result.h"

namespace pelt {

// The point of a triangle that is closest to another: sum of weights[c] * position of vertices[c].
struct ClosestPoint {
  double squared_distance = 0;
  glm::uvec3 vertices{0};
  glm::dvec3 weights{0};  // barycentric, >= 0, sum 1
};

class TriangleTree {
 public:
  struct Near {
    std::uint32_t triangle;
    double squared_distance;
  };

  // Triangles must have area. Copies what it is given. Errors: Embree refuses; no triangle.
  static Result<TriangleTree> create(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles);
  ~TriangleTree();
  TriangleTree(TriangleTree&&) noexcept;
  TriangleTree& operator=(TriangleTree&&) noexcept;

  // The `count` nearest triangles (all where there are fewer), ascending by distance, ties to the lower index. `hint`:
  // a distance within which they are expected; it affects the time taken only. May be called from several threads.
  void nearest(const glm::dvec3& point, std::size_t count, std::vector<Near>& result,
               double hint = std::numeric_limits<double>::infinity()) const;

  ClosestPoint closest_point(std::uint32_t triangle, const glm::dvec3& point) const;

 private:
  struct State;
  explicit TriangleTree(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pelt
