// SPDX-License-Identifier: MIT
// Constant keys of a key pose pass (shaders/driver/key_pose/pose.h, kKeyConstant): offsets that apply in every pose. A
// pass has at most one such key, its last, and every vertex at most one entry of it, also its last.
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

#include "engine/geometry/surface_gradient.h"

namespace pelt::key_pose {

// Returns true if only constant keys move vertices.
bool is_constant(const PalettePass& pass);

// Returns the offsets of the constant keys, one a record.
std::vector<glm::vec3> constant_offsets(const PalettePass& pass);

// Returns `pass` with these constant offsets, one a record, in place of its own. `surface`: that of the vertices moved.
// Precondition: `pass` is valid, or has only its kernel and record_count. Errors: kUnsupported if the table of the pass
// is not laid out as bind does it.
Result<PalettePass> with_constant_offsets(const PalettePass& pass, std::span<const glm::vec3> offsets,
                                          const SurfaceGradient& surface);

}  // namespace pelt::key_pose
