// SPDX-License-Identifier: MIT
#include <pelt/finite.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/invalid.h"
#include "engine/character/pose_kernels.h"
#include "shaders/driver/stream/pose.h"

namespace pelt::stream {

namespace {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  for (std::size_t i = 0; i < pass.record_count; ++i) {
    const auto record = read_record<shared::StreamRecord>(pass.records, i);
    if (std::uint64_t{record.first_input} + 3 > data.input_count) {
      return invalid("record {} names inputs {} to {}, but there are only {}", i, record.first_input,
                     std::uint64_t{record.first_input} + 2, data.input_count);
    }
    if (!is_near(record.rest)) {
      return invalid("the rest position of record {} is not finite, or beyond {:g}", i, kMaxCoordinate);
    }
  }
  return {};
}

EntryRest rest(const PassEntry& entry) {
  return {.kind = EntryKind::kVertex,
          .from_rest = affine_from_axes(glm::mat3(1.0f), -entry.read<shared::StreamRecord>().rest)};
}

std::string label(const PassEntry& entry, const CharacterData&) { return formatted("streamed point {}", entry.record); }

void append_sources(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources) {
  const std::uint32_t first = entry.read<shared::StreamRecord>().first_input;
  for (std::uint32_t c = 0; c < 3; ++c) sources.push_back({SourceKind::kInput, first + c, 1});
}

}  // namespace

const PoseKernelInfo kStream{.name = "stream",
                             .record_words = kRecordWords<shared::StreamRecord>,
                             .entries_per_record = 1,
                             .validate = validate_records,
                             .pose = pose_records<shared::StreamRecord, shared::pose_stream>,
                             .rest = rest,
                             .label = label,
                             .append_sources = append_sources};

}  // namespace pelt::stream
