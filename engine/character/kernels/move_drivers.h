// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/character.h>
#include <pelt/result.h>

#include "engine/character/driver_offsets.h"

namespace pelt {

// Moves control meshes in unfinished data of a Character, as move_driver_vertices does. Errors start with the mesh's
// name.
Result<void> move_drivers(CharacterData& data, const DriverOffsets& offsets);

}  // namespace pelt
