// SPDX-License-Identifier: MIT
// The nearest triangles of points, by distances in double precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <memory>
#include <span>
#include <vector>

#include <pelt/result.h>

namespace pelt {

// The point of a triangle that is closest to another point: the sum of weights[c] * position of vertices[c].
struct ClosestPoint {
  double squared_distance = 0;
  glm::uvec3 vertices{0};  // ascending
  glm::dvec3 weights{0};   // barycentric, >= 0, sum 1
};

class TriangleTree {
 public:
  struct Near {
    std::uint32_t triangle;
    double squared_distance;
  };

  // Triangles must have area; positions must be finite. Copies its arguments. Error: no triangle.
  static Result<TriangleTree> create(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles);
  ~TriangleTree();
  TriangleTree(TriangleTree&&) noexcept;
  TriangleTree& operator=(TriangleTree&&) noexcept;

  // Finds the `count` nearest triangles (all if there are fewer), ascending by distance, ties to the lower index:
  // exactly the result of computing every distance. May be called from several threads. Precondition, here and below:
  // points are finite.
  void nearest(const glm::dvec3& point, std::size_t count, std::vector<Near>& result) const;

  ClosestPoint closest_point(std::uint32_t triangle, const glm::dvec3& point) const;

  // Does nearest() and closest_point() for many points at once: calls visit(i, found) for each, in order. Fast if
  // consecutive points lie close together (a few hundred per call suffice), or if all triangles are wanted.
  struct NearPoint {
    std::uint32_t triangle;
    ClosestPoint closest;
  };
  using Visit = std::function<void(std::size_t point, std::span<const NearPoint> found)>;
  void nearest(std::span<const glm::dvec3> points, std::size_t count, const Visit& visit) const;

  // Does the same for points in any order, with several threads, which call `visit` in any order. `threads`: 0 for all
  // CPUs.
  void nearest_of_each(std::span<const glm::vec3> points, std::size_t count, unsigned threads,
                       const Visit& visit) const;
  // Returns the nearest triangle of each point, in the order of the points.
  std::vector<NearPoint> nearest_of_each(std::span<const glm::vec3> points, unsigned threads) const;

 private:
  struct State;
  class Search;
  explicit TriangleTree(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pelt
