// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace pelt {

// Splits the polygon with these corners (vertices of `positions`, in order, 3 or more) into corners - 2 triangles of
// the same winding, appended to `triangles`. Concave polygons are split only along inner diagonals; a convex quad along
// its shorter one. A polygon that crosses itself or has no area is split in some way too. The result depends only on
// the corners and their positions. Returns the number of steps: about the square of the number of corners, at worst its
// cube.
std::uint64_t split_polygon(std::span<const glm::vec3> positions, std::span<const std::uint32_t> corners,
                            std::vector<glm::uvec3>& triangles);

// Returns true if a quad is convex and nearly flat: both halves, on either side of the diagonal from its first corner
// to its third, have area, and the cosine of the angle between their normals is above `min_cosine`.
bool is_even_quad(const std::array<glm::dvec3, 4>& corners, double min_cosine);

}  // namespace pelt
