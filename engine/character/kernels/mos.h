// SPDX-License-Identifier: MIT
// The control points in passes of multipoint offset sampling (shaders/mos/point_pose.h).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/character/pose_kernels.h"

namespace pelt::mos {

// Returns true for a pass that poses control points.
bool has_points(const PalettePass& pass);

// Returns the words of all points of such a pass, ascending. Precondition: the pass is valid.
std::vector<std::uint32_t> point_words(const PalettePass& pass);

}  // namespace pelt::mos
