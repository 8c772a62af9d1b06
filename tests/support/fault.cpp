// SPDX-License-Identifier: MIT
#include "tests/support/fault.h"

#include <ostream>

namespace pelt::test {

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

void expect_refused(const Fault& fault, CharacterData whole) {
  const Result<Character> sound = Character::create(whole);
  ASSERT_TRUE(sound) << sound.error().message;
  fault.change(whole);
  const Result<Character> character = Character::create(whole);
  ASSERT_FALSE(character);
  EXPECT_EQ(character.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(character.error().message, testing::HasSubstr(fault.says));
}

}  // namespace pelt::test
