// SPDX-License-Identifier: MIT
// One way in which a character may be broken: a line of the lists that show that each is refused.
#pragma once

#include <iosfwd>

#include <pelt/character.h>

namespace pelt::test {

struct Fault {
  const char* name;
  void (*change)(CharacterData&);
  const char* says;  // part of the error
};

void PrintTo(const Fault& fault, std::ostream* out);

// `whole` is a character, and with the fault none.
void expect_refused(const Fault& fault, CharacterData whole);

}  // namespace pelt::test
