// SPDX-License-Identifier: MIT
#include "engine/character/kernels/patch_frame.h"

#include <bit>
#include <cmath>

#include <pelt/finite.h>

#include "engine/character/base/formatted.h"
#include "engine/character/check_records.h"
#include "shaders/driver/patch_frame/pose.h"

namespace pelt::patch_frame {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  TableParts parts(pass);
  return check_records<shared::PatchRecord>(pass, [&](const shared::PatchRecord& record) -> const char* {
    const std::uint64_t words = std::uint64_t{record.basis_count} * shared::kPatchBasisWords;
    if (const char* wrong = parts.take(record.first_word, words, 1)) return wrong;
    if (record.basis_count > kMaxTerms) return kTooManyTerms;
    if (!is_finite(record.rest_inverse)) return "has a rest frame that is not finite";
    for (std::uint32_t word = 0; word < words; ++word) {
      const std::uint32_t value = pass.table[record.first_word + word];
      if (word % shared::kPatchBasisWords == 0) {
        if (!is_posed_before(pass, data, value)) return kNotPosedBefore;
      } else if (!std::isfinite(std::bit_cast<float>(value))) {
        return "has a basis function that is not finite";
      }
    }
    return nullptr;
  });
}

EntryRest sample_rest(const PassEntry& entry) {
  return {.kind = EntryKind::kPatchSample, .from_rest = entry.read<shared::PatchRecord>().rest_inverse};
}

std::string sample_label(const PassEntry& entry, const CharacterData& data) {
  const auto sample = entry.read<shared::PatchRecord>();
  const std::string patch = sample.basis_count == 0 ? "patch" : mesh_of(data, entry.pass.table[sample.first_word]).name;
  return formatted("{} sample {}", patch, entry.record);
}

void append_sample(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources) {
  const auto sample = entry.read<shared::PatchRecord>();
  for (std::uint32_t i = 0; i < sample.basis_count; ++i) {
    const std::uint32_t word = sample.first_word + i * shared::kPatchBasisWords;
    sources.push_back({SourceKind::kVertex, entry.pass.table[word], entry.number(word + 1)});
  }
}

const PoseKernelInfo kPatchFrame{.name = "patch_frame",
                                 .record_words = kRecordWords<shared::PatchRecord>,
                                 .entries_per_record = 1,
                                 .validate = validate_records,
                                 .pose = pose_records<shared::PatchRecord, shared::pose_patch_sample>,
                                 .rest = sample_rest,
                                 .label = sample_label,
                                 .append_sources = append_sample};

}  // namespace pelt::patch_frame
