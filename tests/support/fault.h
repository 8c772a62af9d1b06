// SPDX-License-Identifier: MIT
// One way in which a character may be broken: an entry of the lists that test that each is refused.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include <pelt/character.h>

namespace pelt::test {

struct Fault {
  const char* name;
  void (*change)(CharacterData&);
  const char* says = "";  // part of the error
};

void PrintTo(const Fault& fault, std::ostream* out);

// Expects that `whole` is a valid character, and is refused with the fault.
void expect_refused(const Fault& fault, CharacterData whole);

// Expects that of each fault.
void expect_refused(std::span<const Fault> faults, const CharacterData& whole);

// Returns the message of the error of making the character, or "made".
std::string create_error(CharacterData data);

}  // namespace pelt::test
