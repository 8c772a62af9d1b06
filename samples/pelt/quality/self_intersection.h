// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <span>

namespace pelt::samples {

// Pairs of triangles without a common vertex of which one has an edge that goes through the other's inside. Triangles
// that lie in one plane are not seen, nor those that only touch. Time: that of sorting, and of the pairs whose boxes
// overlap along the longest axis.
std::size_t count_self_intersections(std::span<const glm::dvec3> points, std::span<const glm::uvec3> triangles);

}  // namespace pelt::samples
