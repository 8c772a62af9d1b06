// SPDX-License-Identifier: MIT
#include "tests/support/breakage.h"

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <utility>

namespace pelt::test {

void PrintTo(const Breakage& breakage, std::ostream* out) { *out << breakage.name; }

void expect_refused(const Breakage& breakage, CharacterData whole) {
  const Result<Character> sound = Character::create(whole);
  ASSERT_TRUE(sound) << sound.error().message;
  breakage.change(whole);
  const Result<Character> character = Character::create(whole);
  ASSERT_FALSE(character);
  EXPECT_EQ(character.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(character.error().message, testing::HasSubstr(breakage.says));
}

void expect_refused(std::span<const Breakage> breakages, const CharacterData& whole) {
  for (const Breakage& breakage : breakages) {
    SCOPED_TRACE(breakage.name);
    expect_refused(breakage, whole);
  }
}

PalettePass& pass_of(CharacterData& data, PoseKernel kernel) {
  const auto found = std::ranges::find(data.passes, kernel, &PalettePass::kernel);
  if (found == data.passes.end()) throw std::runtime_error("the character has no such pass");
  return *found;
}

std::string create_error(CharacterData data) {
  const Result<Character> character = Character::create(std::move(data));
  return character ? "made" : character.error().message;
}

}  // namespace pelt::test
