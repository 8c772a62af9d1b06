// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/character.h>
#include <pelt/result.h>

#include "engine/deformer/builder.h"

namespace pelt {

// Everything that was added to a builder, its drivers moved (DriverParameters::offsets), validated. Uses the builder
// up.
Result<Character> build_character(CharacterBuilder& builder);

}  // namespace pelt
