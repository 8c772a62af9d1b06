// SPDX-License-Identifier: MIT
// The pose kernel of basic surface FFD (shaders/surface_ffd/pose.h): what its records must hold. Errors: a vertex that
// no mesh of an earlier stage has, a rest frame that is not finite.
#pragma once

#include "engine/character/pose_kernels.h"

namespace pelt::surface_ffd {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data);

}  // namespace pelt::surface_ffd
