// SPDX-License-Identifier: MIT
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/character/rows/surface_gradient.h"

namespace pelt {

// Returns how the surface round each vertex tilts when offsets (metres) move the vertices: the axis, whose length is
// the tangent of the angle (shaders/driver/key_pose/pose.h).
std::vector<glm::vec3> tilts(const SurfaceGradient& surface, std::span<const glm::vec3> offsets);

}  // namespace pelt
