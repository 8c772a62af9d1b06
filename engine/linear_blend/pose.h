// SPDX-License-Identifier: MIT
// The pose kernel of linear blend (shaders/linear_blend/pose.h): what its records must hold. Errors: a joint that is
// not there, a matrix that is not finite.
#pragma once

#include "engine/character/pose_kernels.h"

namespace pelt::linear_blend {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data);

}  // namespace pelt::linear_blend
