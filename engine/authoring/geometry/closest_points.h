// SPDX-License-Identifier: MIT
// Closest points on triangles, eight at once, in double precision.
//
// The closest point is the nearest of four points of the triangle: the foot of the perpendicular, if that lies inside,
// and the closest point of each edge, which may be a corner. Distances to an edge or a corner depend only on that edge
// or corner, so triangles that share it have bitwise equal distances. Every processor computes the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>

namespace pelt {

constexpr std::size_t kGroupSize = 8;

// Corners a, b, c of each triangle of a group. Edges that two triangles share must have the same direction in both:
// order corners by vertex.
struct GroupCorners {
  alignas(64) double values[9][kGroupSize];  // a.x, a.y, a.z, b.x, ...
};

// Values of a group of triangles, prepared for closest points.
struct TriangleGroup {
  static constexpr std::size_t kValues = 27;
  alignas(64) double values[kValues][kGroupSize];
};

void prepare(const GroupCorners& corners, TriangleGroup& group);

// Sets squared[8 g + t] to the squared distance of `point` from triangle t of group g. Shape: 8 per group.
void squared_distances(std::span<const TriangleGroup> groups, const glm::dvec3& point, std::span<double> squared);

// Boxes around eight groups of triangles.
struct GroupBoxes {
  alignas(64) double low[3][kGroupSize];
  alignas(64) double high[3][kGroupSize];
};

// Sets box `i` to that of a group.
void set_box(const TriangleGroup& group, GroupBoxes& boxes, std::size_t i);

// Sets near[0 ... n) to the ascending indices of the boxes (8 per GroupBoxes) that are no farther from `point` than the
// limit, and returns n.
std::size_t near_boxes(std::span<const GroupBoxes> boxes, const glm::dvec3& point, double squared_limit,
                       std::span<std::uint32_t> near);

// The closest points of the triangles of a group: their squared distances, and their barycentric coordinates (>= 0,
// sum 1) of corners a, b, c.
struct GroupPoints {
  alignas(64) double squared[kGroupSize];
  alignas(64) double weights[3][kGroupSize];
};
// Sets points[g] for each g of `chosen`.
void closest_points(std::span<const TriangleGroup> groups, std::span<const std::uint32_t> chosen,
                    const glm::dvec3& point, std::span<GroupPoints> points);

}  // namespace pelt
