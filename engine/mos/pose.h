// SPDX-License-Identifier: MIT
// The control points in the passes of multipoint offset sampling (shaders/mos/point_pose.h, shaders/mos/table_pose.h).
#pragma once

#include <cstdint>
#include <set>

#include "engine/character/pose_kernels.h"

namespace pelt::mos {

bool is_mos(const PalettePass& pass);

// The words of all points of a pass of either kernel. A point may have a twin right behind it, for directions.
// Precondition: the pass is valid.
std::set<std::uint32_t> words_with_twins(const PalettePass& pass);

bool is_twin(const PalettePass& pass, std::uint32_t word);

}  // namespace pelt::mos
