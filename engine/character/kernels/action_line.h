// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <pelt/character.h>

namespace pelt::action_line {

// Checks a line in the table of a pass (shaders/driver/action_line/pose.h). Returns the reason why it cannot be posed,
// or nullptr. Precondition: the table holds the line.
const char* check_line(const PalettePass& pass, const CharacterData& data, std::uint64_t word);

}  // namespace pelt::action_line
