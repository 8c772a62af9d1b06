// SPDX-License-Identifier: MIT
// The pose kernel of basic surface FFD (shaders/surface_ffd/pose.h) as the engine's list of kernels takes it.
#pragma once

#include "engine/character/pose_kernels.h"

namespace pelt::surface_ffd {

// Errors: a vertex that no mesh of an earlier stage has, a rest frame that is not finite.
Result<void> validate_records(const PalettePass& pass, const CharacterData& data);
void pose_records(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context);

}  // namespace pelt::surface_ffd
