// SPDX-License-Identifier: MIT
// The pose kernel of linear blend (shaders/linear_blend/pose.h) as the engine's list of kernels takes it.
#pragma once

#include "engine/character/pose_kernels.h"

namespace pelt::linear_blend {

// Errors: a joint that the skeleton does not have, an inverse bind matrix that is not finite.
Result<void> validate_records(const PalettePass& pass, const CharacterData& data);
void pose_records(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context);

}  // namespace pelt::linear_blend
