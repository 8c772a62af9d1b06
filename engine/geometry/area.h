// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/mesh.h>

namespace pelt {

// Area of a triangle in square metres, and the one at or below which it is no element (docs/mathematics.md section 1).
double triangle_area(const Mesh& mesh, glm::uvec3 triangle);
double least_area(const Mesh& mesh);

}  // namespace pelt
