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

// Returns the area at or below which a triangle is no driver element, in square metres (docs/mathematics.md section 1).
double least_area(const Mesh& mesh);

// Returns the numbers of the triangles whose area is above `least`, ascending.
std::vector<std::uint32_t> solid_triangles(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
                                           double least = 0);

// Removes the other triangles, and returns those numbers.
std::vector<std::uint32_t> drop_flat(std::span<const glm::vec3> positions, std::vector<glm::uvec3>& triangles,
                                     double least = 0);

}  // namespace pelt
