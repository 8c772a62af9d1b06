// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/character.h>
#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"

namespace pelt {

// Makes a valid character from everything that was added to a builder, and moves its drivers
// (DriverParameters::offsets). The builder is empty afterwards.
Result<Character> build_character(CharacterBuilder& builder);

}  // namespace pelt
