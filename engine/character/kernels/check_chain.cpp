// SPDX-License-Identifier: MIT
#include "engine/character/kernels/check_chain.h"

#include <optional>

#include "shaders/chain/chain.h"

namespace pelt::chain {
namespace {

const char* check_anchor(const TableReader& words, const CharacterData& data, std::optional<std::uint32_t> clock,
                         std::uint64_t word) {
  if (!words.holds(word, shared::kAnchorWords)) return "reads past its table";
  if (words.word(word) >= data.skeleton.joints.size()) return "names a joint that does not exist";
  const std::uint32_t twist = words.word(word + shared::kAnchorTwist);
  if (twist != shared::kNoInput && twist >= data.input_count) return "names an input that does not exist";
  if (twist == clock) return "takes the clock for a twist";
  if (const char* wrong = words.check_place(word + shared::kAnchorPosition)) return wrong;
  return words.check_numbers(word + shared::kAnchorRotation, shared::kAnchorTwist - shared::kAnchorRotation);
}

}  // namespace

const char* check_chain(const TableReader& words, const CharacterData& data, std::uint64_t word) {
  if (!words.holds(word, shared::kChainWords)) return "reads past its table";
  const std::uint64_t count = words.word(word);
  if (count < 2 || count > shared::kMaxAnchors) return "has a chain of too few or too many anchors";
  if (words.word(word + 1) >= count) return "has a chain whose top does not exist";
  const std::optional<std::uint32_t> clock = data.clock_input();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t anchor = words.word(word + shared::kChainFirstAnchor) + i * shared::kAnchorWords;
    if (const char* wrong = check_anchor(words, data, clock, anchor)) return wrong;
  }
  return nullptr;
}

const char* check_posed_chain(const TableReader& words, const CharacterData& data, const EntryRuns& anchors,
                              std::uint64_t word) {
  if (const char* wrong = check_chain(words, data, word)) return wrong;
  const bool posed = anchors.hold(words.word(word + shared::kChainFirstEntry), words.word(word));
  return posed ? nullptr : "turns by anchors that no earlier stage poses";
}

}  // namespace pelt::chain
