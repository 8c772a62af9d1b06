// SPDX-License-Identifier: MIT
// Shared by the pose kernels of positions along bones along which twists spread (shaders/spread_twist.h).
#pragma once

#include "engine/character/check_records.h"
#include "engine/character/table_reader.h"
#include "shaders/spread_twist.h"

namespace pelt::spread_twist {

// Checks the twists of a pass's records.
class Check {
 public:
  Check(const PalettePass& pass, const CharacterData& data) : words_(pass.table), parts_(pass), data_(data) {}

  // Returns the reason why the twist is wrong, or nullptr.
  const char* operator()(const shared::SpreadTwist& twist);

 private:
  const char* check_word(std::uint64_t word);

  TableReader words_;
  TableParts parts_;
  const CharacterData& data_;
};

}  // namespace pelt::spread_twist
