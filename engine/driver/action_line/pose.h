// SPDX-License-Identifier: MIT
// The pose kernel of action lines (shaders/driver/action_line/pose.h): what its records must hold, and posing on the
// CPU.
#pragma once

#include "engine/character/pose_kernels.h"

namespace pelt::action_line {

// Errors: words past the table, control points that no earlier stage moves or of a number that is none, a number that
// is not finite, lengths that are not positive, shapes out of range, samples that do not ascend from 0 to 1.
Result<void> validate_records(const PalettePass& pass, const CharacterData& data);

void pose_records(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context);

}  // namespace pelt::action_line
