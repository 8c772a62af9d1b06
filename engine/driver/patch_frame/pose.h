// SPDX-License-Identifier: MIT
// The pose kernel of parametric patches (shaders/driver/patch_frame/pose.h): what its records must hold. Errors: words
// past the table, a vertex that no mesh of an earlier stage has, a number that is not finite.
#pragma once

#include "engine/character/pose_kernels.h"

namespace pelt::patch_frame {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data);

}  // namespace pelt::patch_frame
