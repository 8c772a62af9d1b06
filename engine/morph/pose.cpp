// SPDX-License-Identifier: MIT
#include "shaders/morph/pose.h"

#include <fmt/format.h>

#include "engine/character/check_records.h"
#include "engine/character/pose_kernels.h"

namespace pelt::morph {
namespace {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  TableBudget budget(pass);
  return check_records<shared::MorphWeightsRecord>(pass, [&](const shared::MorphWeightsRecord& record) -> const char* {
    if (record.target_count == 0 || record.target_count > shared::kMorphEntryTargets) {
      return "holds no weights, or too many";
    }
    if (const char* wrong = budget.take(record.first_word, record.target_count)) return wrong;
    for (std::uint32_t t = 0; t < record.target_count; ++t) {
      if (pass.table[record.first_word + t] >= data.input_count) return "names an input that is not there";
    }
    return nullptr;
  });
}

EntryRest rest(const PassEntry&) { return {}; }

std::string label(const PassEntry& entry, const CharacterData&) {
  return fmt::format("weights of morph targets {}", entry.record);
}

void append_sources(const PassEntry& entry, std::vector<EntrySource>& sources) {
  const auto record = entry.read<shared::MorphWeightsRecord>();
  for (std::uint32_t t = 0; t < record.target_count; ++t) {
    sources.push_back({SourceKind::kInput, entry.pass.table[record.first_word + t], 0});
  }
}

}  // namespace

const PoseKernelInfo kMorphWeights{.name = "morph_weights",
                                   .record_words = kRecordWords<shared::MorphWeightsRecord>,
                                   .slots_per_record = 1,
                                   .validate = validate_records,
                                   .pose = pose_records<shared::MorphWeightsRecord, shared::pose_morph_weights>,
                                   .rest = rest,
                                   .label = label,
                                   .append_sources = append_sources};

}  // namespace pelt::morph
