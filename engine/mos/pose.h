// SPDX-License-Identifier: MIT
// The control points in the passes of multipoint offset sampling (shaders/mos/point_pose.h, shaders/mos/table_pose.h).
#pragma once

#include <cstdint>
#include <set>

#include "engine/character/pose_kernels.h"

namespace pelt::mos {

// Returns true for a pass of either kernel of MOS.
bool is_mos(const PalettePass& pass);

// Returns the words of all points of such a pass. The twin of a point, which carries directions, comes right after it.
// Precondition: the pass is valid.
std::set<std::uint32_t> words_with_twins(const PalettePass& pass);

bool is_twin(const PalettePass& pass, std::uint32_t word);

}  // namespace pelt::mos
