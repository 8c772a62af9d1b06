// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/character/base/formatted.h"
#include "engine/character/check_records.h"
#include "engine/character/kernels/check_chain.h"
#include "engine/character/pose_kernels.h"
#include "engine/character/table_reader.h"
#include "shaders/chain/pose.h"

namespace pelt::chain {
namespace {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  const TableReader words(pass.table);
  enum Part : TableParts::Kind { kChain = 1, kAnchors };
  TableParts parts(pass);
  TableBudget posed(pass);
  const auto check = [&](const shared::AnchorRecord& record) -> const char* {
    if (!words.holds(record.chain, shared::kChainWords)) return "reads past its table";
    bool is_new = false;
    if (const char* wrong = parts.share(record.chain, shared::kChainWords, kChain, is_new)) return wrong;
    if (is_new) {
      if (const char* wrong = check_chain(words, data, record.chain)) return wrong;
      const std::uint64_t anchors = words.word(record.chain) * std::uint64_t{shared::kAnchorWords};
      const std::uint32_t first = words.word(record.chain + shared::kChainFirstAnchor);
      if (const char* wrong = parts.take(first, anchors, kAnchors)) return wrong;
    }
    const std::uint32_t count = words.word(record.chain);
    if (record.first % shared::kAnchorBlock != 0 || record.first >= count) return "names an anchor that does not exist";
    return posed.take(std::uint64_t{std::min(count - record.first, shared::kAnchorBlock)} * shared::kAnchorWords);
  };
  return check_records<shared::AnchorRecord>(pass, check);
}

// Returns the joint of an entry's anchor.
std::uint32_t joint_of(const PassEntry& entry) {
  const auto record = entry.read<shared::AnchorRecord>();
  const shared::Chain chain = shared::read_chain(entry.table(), record.chain);
  return entry.pass.table[shared::anchor_word(chain, std::min(record.first + entry.in_record, chain.anchor_count - 1))];
}

std::string label(const PassEntry& entry, const CharacterData& data) {
  return formatted("anchor of {}", data.skeleton.joints[joint_of(entry)].name);
}

void append_sources(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources) {
  sources.push_back({SourceKind::kJoint, joint_of(entry), 1});
}

}  // namespace

const PoseKernelInfo kAnchor{.name = "anchor",
                             .record_words = kRecordWords<shared::AnchorRecord>,
                             .entries_per_record = shared::kAnchorBlock,
                             .validate = validate_records,
                             .pose = pose_records<shared::AnchorRecord, shared::pose_anchors>,
                             .rest = no_rest,
                             .label = label,
                             .append_sources = append_sources,
                             .contents = both(EntryContent::kNumbers),
                             .invocation_per_entry = true};

}  // namespace pelt::chain
