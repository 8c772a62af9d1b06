// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <limits>
#include <span>
#include <vector>

#include "engine/authoring/geometry/bounds.h"

namespace pelt {

// Casts rays at triangles that move: a tree of boxes over triangles along a Morton curve, which keeps its shape. Hits
// count on both sides of a triangle, and 1e-4 beyond its edges, so that no ray passes between two neighbours.
class RayTree {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  // `triangles`: along a curve (morton_order), so that neighbours are close.
  explicit RayTree(std::vector<glm::uvec3> triangles) : triangles_(std::move(triangles)) {
    while (leaves_ * kPerLeaf < triangles_.size()) leaves_ *= 2;
    boxes_.resize(2 * std::size_t{leaves_});
    corners_.resize(triangles_.size());
  }

  // Moves the triangles to these positions. Call it before the first ray.
  void move(std::span<const glm::vec3> positions) {
    std::ranges::fill(boxes_, Bounds<glm::vec3>());
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      for (int c = 0; c < 3; ++c) {
        corners_[t][static_cast<std::size_t>(c)] = positions[triangles_[t][c]];
        boxes_[leaves_ + t / kPerLeaf].add(positions[triangles_[t][c]]);
      }
    }
    for (std::uint32_t n = leaves_ - 1; n > 0; --n) {
      boxes_[n] = {glm::min(boxes_[2 * n].low, boxes_[2 * n + 1].low),
                   glm::max(boxes_[2 * n].high, boxes_[2 * n + 1].high)};
    }
  }

  // Returns the first triangle that the ray hits of those for which counts(triangle) is true; kNone: none. `any`: any
  // that it hits, which is faster. `direction`: unit.
  template <class Counts>
  std::uint32_t hit(const glm::vec3& origin, const glm::vec3& direction, bool any, const Counts& counts) const {
    const glm::vec3 inverse = 1.0f / direction;
    std::uint32_t found = kNone;
    float nearest = std::numeric_limits<float>::infinity();
    std::array<std::uint32_t, 64> stack{1};
    for (std::size_t size = 1; size > 0;) {
      const std::uint32_t node = stack[--size];
      const Bounds<glm::vec3>& box = boxes_[node];
      if (!(box.low.x <= box.high.x)) continue;
      const glm::vec3 a = (box.low - origin) * inverse;
      const glm::vec3 b = (box.high - origin) * inverse;
      const glm::vec3 enter = glm::min(a, b);
      const glm::vec3 leave = glm::max(a, b);
      const float from = std::max({enter.x, enter.y, enter.z, 0.0f});
      if (from > std::min({leave.x, leave.y, leave.z, nearest})) continue;
      if (node < leaves_) {
        stack[size++] = 2 * node;
        stack[size++] = 2 * node + 1;
        continue;
      }
      const std::size_t first = std::size_t{node - leaves_} * kPerLeaf;
      for (std::size_t t = first; t < std::min(first + kPerLeaf, triangles_.size()); ++t) {
        const float distance = distance_to(corners_[t], origin, direction);
        if (!(distance < nearest) || !counts(static_cast<std::uint32_t>(t))) continue;
        nearest = distance;
        found = static_cast<std::uint32_t>(t);
        if (any) return found;
      }
    }
    return found;
  }

 private:
  static constexpr std::size_t kPerLeaf = 4;
  using Corners = std::array<glm::vec3, 3>;

  // Möller and Trumbore 1997, *Fast, Minimum Storage Ray/Triangle Intersection*. Infinity: no hit.
  static float distance_to(const Corners& corners, const glm::vec3& origin, const glm::vec3& direction) {
    constexpr float kEdge = 1e-4f;
    constexpr float kMiss = std::numeric_limits<float>::infinity();
    const glm::vec3 ab = corners[1] - corners[0];
    const glm::vec3 ac = corners[2] - corners[0];
    const glm::vec3 p = glm::cross(direction, ac);
    const float determinant = glm::dot(ab, p);
    if (determinant == 0) return kMiss;
    const glm::vec3 s = origin - corners[0];
    const float u = glm::dot(s, p) / determinant;
    const glm::vec3 q = glm::cross(s, ab);
    const float v = glm::dot(direction, q) / determinant;
    if (!(u >= -kEdge && v >= -kEdge && u + v <= 1 + kEdge)) return kMiss;
    const float distance = glm::dot(ac, q) / determinant;
    return distance > 0 ? distance : kMiss;
  }

  std::vector<glm::uvec3> triangles_;
  std::vector<Corners> corners_;
  std::uint32_t leaves_ = 1;              // a power of two
  std::vector<Bounds<glm::vec3>> boxes_;  // of node n, whose children are 2 n and 2 n + 1; then the leaves
};

}  // namespace pelt
