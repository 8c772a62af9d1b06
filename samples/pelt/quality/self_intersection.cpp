// SPDX-License-Identifier: MIT
#include "samples/pelt/quality/self_intersection.h"

#include <algorithm>
#include <array>
#include <vector>

namespace pelt::samples {
namespace {

using Corners = std::array<glm::dvec3, 3>;

struct Box {
  glm::dvec3 low;
  glm::dvec3 high;
  glm::uvec3 triangle;
};

std::vector<Box> boxes_of(std::span<const glm::dvec3> points, std::span<const glm::uvec3> triangles) {
  std::vector<Box> boxes;
  boxes.reserve(triangles.size());
  for (const glm::uvec3& t : triangles) {
    const glm::dvec3 &a = points[t.x], &b = points[t.y], &c = points[t.z];
    boxes.push_back({glm::min(a, glm::min(b, c)), glm::max(a, glm::max(b, c)), t});
  }
  return boxes;
}

// Returns the axis along which fewest boxes overlap if they have similar sizes.
glm::length_t longest_axis(std::span<const Box> boxes) {
  Box all = boxes.front();
  for (const Box& box : boxes) {
    all.low = glm::min(all.low, box.low);
    all.high = glm::max(all.high, box.high);
  }
  const glm::dvec3 extent = all.high - all.low;
  if (extent.x >= extent.y && extent.x >= extent.z) return 0;
  return extent.y >= extent.z ? 1 : 2;
}

bool overlap(const Box& a, const Box& b) {
  return glm::all(glm::lessThanEqual(a.low, b.high)) && glm::all(glm::lessThanEqual(b.low, a.high));
}

bool share_vertex(const glm::uvec3& a, const glm::uvec3& b) {
  for (glm::length_t k = 0; k < 3; ++k) {
    if (a[k] == b.x || a[k] == b.y || a[k] == b.z) return true;
  }
  return false;
}

// Returns six times the signed volume of a tetrahedron.
double volume(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c, const glm::dvec3& d) {
  return glm::dot(glm::cross(b - a, c - a), d - a);
}

// Returns true if the segment's ends lie on either side of the triangle's plane and its line passes all three edges on
// the same side.
bool goes_through(const glm::dvec3& p, const glm::dvec3& q, const Corners& triangle) {
  const auto& [a, b, c] = triangle;
  if (volume(a, b, c, p) * volume(a, b, c, q) >= 0) return false;
  const double ab = volume(p, q, a, b);
  const double bc = volume(p, q, b, c);
  const double ca = volume(p, q, c, a);
  return (ab > 0 && bc > 0 && ca > 0) || (ab < 0 && bc < 0 && ca < 0);
}

bool has_edge_through(const Corners& a, const Corners& b) {
  return goes_through(a[0], a[1], b) || goes_through(a[1], a[2], b) || goes_through(a[2], a[0], b);
}

}  // namespace

std::size_t count_self_intersections(std::span<const glm::dvec3> points, std::span<const glm::uvec3> triangles) {
  if (triangles.empty()) return 0;
  std::vector<Box> boxes = boxes_of(points, triangles);
  const glm::length_t axis = longest_axis(boxes);
  std::sort(boxes.begin(), boxes.end(), [axis](const Box& a, const Box& b) { return a.low[axis] < b.low[axis]; });
  const auto corners = [&](const Box& box) {
    return Corners{points[box.triangle.x], points[box.triangle.y], points[box.triangle.z]};
  };
  std::size_t count = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t k = i + 1; k < boxes.size() && boxes[k].low[axis] <= boxes[i].high[axis]; ++k) {
      if (!overlap(boxes[i], boxes[k]) || share_vertex(boxes[i].triangle, boxes[k].triangle)) continue;
      const Corners a = corners(boxes[i]);
      const Corners b = corners(boxes[k]);
      if (has_edge_through(a, b) || has_edge_through(b, a)) ++count;
    }
  }
  return count;
}

}  // namespace pelt::samples
