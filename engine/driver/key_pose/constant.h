// SPDX-License-Identifier: MIT
// Constant keys of a key pose pass (shaders/driver/key_pose/pose.h, kKeyConstant): offsets that are there in every
// pose. A pass has at most one such key, the last, and every vertex at most one entry of it, its last.
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

#include "engine/geometry/surface_gradient.h"

namespace pelt::key_pose {

// Whether nothing but constant keys moves anything.
bool is_constant(const PalettePass& pass);

// What constant keys add, one a record.
std::vector<glm::vec3> constant_offsets(const PalettePass& pass);

// A pass with these offsets, one a record, in place of those of `pass`. `surface`: of the vertices that they move.
// Precondition: `pass` is valid, or has only its kernel and record_count. Errors: kUnsupported where the table of the
// pass is not laid out as bind does.
Result<PalettePass> with_constant_offsets(const PalettePass& pass, std::span<const glm::vec3> offsets,
                                          const SurfaceGradient& surface);

}  // namespace pelt::key_pose
