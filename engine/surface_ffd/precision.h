// SPDX-License-Identifier: MIT
#pragma once

#include <glm/glm.hpp>
#include <span>

#include "engine/binding/sparse_rows.h"

namespace pelt::surface_ffd {

// Weights s_j of one row (> 0, any scale) over points x_j, made to reproduce the point P in the plane across `normal`:
// sum s_j (x_j - P) = 0 there, first-order consistency as of moving least squares (math.md section 6). They stay >= 0
// and come out with the sum 1; where P does not lie well among the x_j, at the border of a driver, they go as far as
// that allows. Continuous in P and s. `points` is what the row's indices count over; `normal` is of unit length, or 0,
// which leaves the row as it is but for its sum.
void make_linear_precise(std::span<WeightedElement> row, std::span<const glm::vec3> points, const glm::dvec3& point,
                         const glm::dvec3& normal);

}  // namespace pelt::surface_ffd
