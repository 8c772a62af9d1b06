// SPDX-License-Identifier: MIT
// One way in which a character may be broken: an entry of the lists that test that each is refused.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include <pelt/character.h>

namespace pelt::test {

struct Breakage {
  const char* name;
  void (*change)(CharacterData&);
  const char* says = "";  // part of the error
};

void PrintTo(const Breakage& breakage, std::ostream* out);

// Expects that `whole` is a valid character, and is refused with the breakage.
void expect_refused(const Breakage& breakage, CharacterData whole);

// Expects that of each breakage.
void expect_refused(std::span<const Breakage> breakages, const CharacterData& whole);

// Returns the first pass with this kernel.
PalettePass& pass_of(CharacterData& data, PoseKernel kernel);

// Returns the message of the error of making the character, or "made".
std::string create_error(CharacterData data);

}  // namespace pelt::test
