// SPDX-License-Identifier: MIT
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/geometry/surface_gradient.h"

namespace pelt::key_pose {

// How the surface round each vertex turns as its vertices are moved by offsets, metres: the axis, as long as the
// tangent of the angle (shaders/driver/key_pose/pose.h).
std::vector<glm::vec3> tilts(const SurfaceGradient& surface, std::span<const glm::vec3> offsets);

}  // namespace pelt::key_pose
