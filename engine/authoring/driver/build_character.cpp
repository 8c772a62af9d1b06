// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/build_character.h"

#include <utility>

#include <pelt/try.h>

#include "engine/character/kernels/move_drivers.h"

namespace pelt {

Result<Character> build_character(CharacterBuilder& builder) {
  PELT_ASSIGN(auto data, builder.build());
  PELT_TRY(move_drivers(data, builder.driver_offsets()));
  return Character::create(std::move(data));
}

}  // namespace pelt
