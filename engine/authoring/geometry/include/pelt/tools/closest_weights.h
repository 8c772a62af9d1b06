// SPDX-License-Identifier: MIT
// Transfers weights and values from the closest points of a surface.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/sparse_rows.h>
#include <pelt/tools/triangle_tree.h>

namespace pelt {

// Returns the row of weights of a vertex of the surface.
using RowOfVertex = std::function<std::span<const Influence>(std::uint32_t)>;

// Returns for each point the weights of the closest point of the surface, interpolated over its triangle. `threads`: 0
// for all CPUs.
SparseRows closest_weights(const TriangleTree& surface, const RowOfVertex& weights, std::span<const glm::vec3> points,
                           unsigned threads);

// Appends the weights of a point of the surface, interpolated over its triangle.
void append_weights_at(const ClosestPoint& point, const RowOfVertex& weights, SparseRows& rows);

// Returns values of the surface's vertices, interpolated over the triangle of each point; empty if `values` is empty.
template <class T>
std::vector<T> values_at(std::span<const ClosestPoint> points, std::span<const T> values) {
  std::vector<T> result;
  if (values.empty()) return result;
  result.reserve(points.size());
  for (const ClosestPoint& point : points) {
    T sum(0.0f);
    for (int c = 0; c < 3; ++c) sum += static_cast<float>(point.weights[c]) * values[point.vertices[c]];
    result.push_back(sum);
  }
  return result;
}

}  // namespace pelt
