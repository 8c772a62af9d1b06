// SPDX-License-Identifier: MIT
#include "engine/driver/build_character.h"

#include <utility>

#include "engine/driver/key_pose/move_drivers.h"

namespace pelt {

Result<Character> build_character(CharacterBuilder& builder) {
  Result<CharacterData> data = builder.build();
  if (!data) return tl::unexpected(data.error());
  const Result<void> moved = move_drivers(*data, builder.driver_offsets());
  if (!moved) return tl::unexpected(moved.error());
  return Character::create(std::move(*data));
}

}  // namespace pelt
