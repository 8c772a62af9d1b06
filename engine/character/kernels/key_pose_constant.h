// SPDX-License-Identifier: MIT
// Constant offsets in a pass of key poses (shaders/driver/key_pose/pose.h, kKeyConstant), which apply in every pose. A
// vertex has at most one, as its last entry.
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/character.h>

#include "engine/character/rows/surface_gradient.h"

namespace pelt::key_pose {

// Returns true if all offsets are constant.
bool is_constant(const PalettePass& pass);

// Returns the constant offsets, one per record.
std::vector<glm::vec3> constant_offsets(const PalettePass& pass);

// Returns `pass` with these constant offsets, one per record, replacing its own. `surface`: of the moved vertices.
// Precondition: `pass` is valid, or has only its kernel and record_count.
PalettePass with_constant_offsets(const PalettePass& pass, std::span<const glm::vec3> offsets,
                                  const SurfaceGradient& surface);

}  // namespace pelt::key_pose
