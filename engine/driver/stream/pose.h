// SPDX-License-Identifier: MIT
// The pose kernel of streamed positions (shaders/driver/stream/pose.h): what its records must hold. Errors: an input
// that is not there, a rest position that is not finite.
#pragma once

#include "engine/character/pose_kernels.h"

namespace pelt::stream {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data);

}  // namespace pelt::stream
