// SPDX-License-Identifier: MIT
#include <vector>

#include "engine/character/base/formatted.h"
#include "engine/character/check_records.h"
#include "engine/character/kernels/key_weights.h"
#include "engine/character/pose_kernels.h"
#include "engine/character/table_reader.h"
#include "shaders/driver/key_pose/pose.h"
#include "shaders/morph/morph.h"

namespace pelt::key_pose {
namespace {

// The indices among the palette's floats that hold a weight when the pass is posed.
class WeightRuns {
 public:
  WeightRuns(const PalettePass& pass, const CharacterData& data)
      : runs_(entries_posed_first(pass, data, PoseKernel::kKeyWeights)) {}

  bool hold(std::uint32_t place) const {
    return place % shared::kMorphEntryFloats != 0 && runs_.hold(place / shared::kMorphEntryFloats);
  }

 private:
  EntryRuns runs_;
};

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  const WeightRuns places(pass, data);
  const TableReader words(pass.table);
  TableParts parts(pass);
  return check_records<shared::KeyPoseRecord>(pass, [&](const shared::KeyPoseRecord& record) {
    const char* wrong = parts.take(record.first_word, std::uint64_t{record.entry_count} * shared::kKeyEntryWords, 1);
    if (wrong == nullptr && record.entry_count > kMaxTerms) wrong = kTooManyTerms;
    for (std::uint32_t e = 0; e < record.entry_count && wrong == nullptr; ++e) {
      const std::uint64_t word = record.first_word + std::uint64_t{e} * shared::kKeyEntryWords;
      wrong = words.check_place(word + 1);  // the offset, then the tilt
      if (wrong == nullptr) wrong = words.check_numbers(word + 4, shared::kKeyEntryWords - 4);
      if (wrong != nullptr) continue;
      const std::uint32_t place = words.word(word);
      if (place != shared::kKeyConstant && !places.hold(place)) wrong = "names a weight that no earlier pass writes";
    }
    return wrong;
  });
}

std::string label(const PassEntry& entry, const CharacterData&) {
  return formatted("key pose offset {}", entry.record);
}

void append_sources(const PassEntry& entry, const CharacterData& data, std::vector<EntrySource>& sources) {
  const auto record = entry.read<shared::KeyPoseRecord>();
  for (std::uint32_t e = 0; e < record.entry_count; ++e) {
    const std::uint32_t place = entry.pass.table[record.first_word + e * shared::kKeyEntryWords];
    if (place != shared::kKeyConstant) key_weights::append_weight_sources(data, place, sources);
  }
}

}  // namespace

const PoseKernelInfo kKeyPose{.name = "key_pose",
                              .record_words = kRecordWords<shared::KeyPoseRecord>,
                              .entries_per_record = 1,
                              .validate = validate_records,
                              .pose = pose_records<shared::KeyPoseRecord, shared::pose_key_offset>,
                              .rest = no_rest,
                              .label = label,
                              .append_sources = append_sources,
                              .contents = both(EntryContent::kOffset)};

}  // namespace pelt::key_pose
