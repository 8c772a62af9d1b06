// SPDX-License-Identifier: MIT
// The pose kernel of key poses (shaders/key_pose/pose.h): what its records must hold. Errors: words past the table, a
// joint or an input that is not there, a number that is not finite, keys that do not ascend.
#pragma once

#include "engine/character/pose_kernels.h"

namespace pelt::key_pose {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data);

}  // namespace pelt::key_pose
