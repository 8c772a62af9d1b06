// SPDX-License-Identifier: MIT
// Closest points on a surface at bind.
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/result.h>

#include "engine/hierarchical_bspline/surface.h"

namespace pelt::hierarchical_bspline {

// Returns for each point the parameters, on the finest level, of its closest point on the surface: the nearest of a
// tessellation, then refined by Gauss-Newton steps that come closer. Errors: a surface without area.
Result<std::vector<glm::dvec2>> closest_places(const Surface& surface, std::span<const glm::vec3> points,
                                               unsigned threads);

}  // namespace pelt::hierarchical_bspline
