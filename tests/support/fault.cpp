// SPDX-License-Identifier: MIT
#include "tests/support/fault.h"

#include <ostream>
#include <utility>

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

void expect_refused(std::span<const Fault> faults, const CharacterData& whole) {
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.name);
    expect_refused(fault, whole);
  }
}

std::string create_error(CharacterData data) {
  const Result<Character> character = Character::create(std::move(data));
  return character ? "made" : character.error().message;
}

}  // namespace pelt::test
