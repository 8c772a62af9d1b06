// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/mesh.h>

namespace pelt {

// Return the area of a triangle, in square metres, and the area at or below which a triangle is no driver element
// (docs/mathematics.md section 1).
double triangle_area(const Mesh& mesh, glm::uvec3 triangle);
double least_area(const Mesh& mesh);

}  // namespace pelt
