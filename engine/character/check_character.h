// SPDX-License-Identifier: MIT
// Checks everything that users of a character rely on: ranges, indices, finite numbers, and that a stage reads only
// what earlier stages wrote.
#pragma once

#include <cstdint>

#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt {

// Returns one past the last palette entry that a mesh blends. Errors are those of Character::create.
Result<std::uint32_t> check_character(const CharacterData& data);

// Checks CharacterData::levels, and raises `entries_read` to what they read. Precondition: check_character has passed.
Result<void> check_levels(const CharacterData& data, std::uint32_t& entries_read);

}  // namespace pelt
