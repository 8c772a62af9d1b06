// SPDX-License-Identifier: MIT
// The pose kernel of estimated vertex frames (shaders/driver/vertex_frame/pose.h): what its records must hold. Errors:
// words past the table, a vertex that no mesh of an earlier stage has, a number that is not finite, no area.
#pragma once

#include "engine/character/pose_kernels.h"

namespace pelt::vertex_frame {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data);

}  // namespace pelt::vertex_frame
