// SPDX-License-Identifier: MIT
// Closest points on triangles, eight at once, in double precision.
//
// The closest point is the nearest of four points of the triangle: the foot of the perpendicular, if that lies inside,
// and the closest point of each edge, which may be a corner. Distances to an edge or a corner depend on that edge or
// corner alone, so triangles that share it have bitwise equal distances. Every processor computes the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>

namespace pelt {

constexpr std::size_t kGroupSize = 8;

// Corners a, b, c of each triangle of a group. Edges that two triangles share must run the same way in both: order
// corners by vertex.
struct GroupCorners {
  alignas(64) double values[9][kGroupSize];  // a.x, a.y, a.z, b.x, ...
};

// Values of a group of triangles, prepared for closest points.
struct TriangleGroup {
  static constexpr std::size_t kValues = 27;
  alignas(64) double values[kValues][kGroupSize];
};

void prepare(const GroupCorners& corners, TriangleGroup& group);

// Sets squared[8 g + t] to the squared distance of `point` from triangle t of group g. Shape: 8 a group.
void squared_distances(std::span<const TriangleGroup> groups, const glm::dvec3& point, std::span<double> squared);

// The closest point of triangle t of group g: its squared distance, and its barycentric coordinates (>= 0, sum 1) of
// corners a, b, c.
struct GroupPoints {
  alignas(64) double squared[kGroupSize];
  alignas(64) double weights[3][kGroupSize];
};
void closest_points(std::span<const TriangleGroup> groups, const glm::dvec3& point, std::span<GroupPoints> points);

}  // namespace pelt
