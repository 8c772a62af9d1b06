// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pelt/mesh.h>

namespace pelt {

// Returns the area of a triangle, in square metres.
double triangle_area(std::span<const glm::vec3> positions, glm::uvec3 triangle);
inline double triangle_area(const Mesh& mesh, glm::uvec3 triangle) { return triangle_area(mesh.positions, triangle); }

// Returns the area, in square metres, up to which a triangle is not a driver element (docs/mathematics.md section 1).
double least_area(const Mesh& mesh);

// Removes the triangles whose area is not above `least`. Returns the old indices of the others, ascending.
std::vector<std::uint32_t> drop_flat(std::span<const glm::vec3> positions, std::vector<glm::uvec3>& triangles,
                                     double least = 0);

}  // namespace pelt
