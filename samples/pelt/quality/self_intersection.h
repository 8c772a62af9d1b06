// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <span>

namespace pelt::samples {

// Counts the pairs of triangles without a common vertex of which an edge of one goes through the inside of the other.
// It misses triangles in one plane and those that only touch. Time: that of sorting, and of the pairs whose boxes
// overlap along the longest axis.
std::size_t count_self_intersections(std::span<const glm::dvec3> points, std::span<const glm::uvec3> triangles);

}  // namespace pelt::samples
