// SPDX-License-Identifier: MIT
#include "engine/character/kernels/action_line.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "engine/character/base/formatted.h"
#include "engine/character/check_records.h"
#include "engine/character/pose_kernels.h"
#include "shaders/driver/action_line/pose.h"

namespace pelt::action_line {
namespace {

float number(const PalettePass& pass, std::uint64_t word) { return std::bit_cast<float>(pass.table[word]); }

bool is_within(float value, float least, float most) { return value >= least && value <= most; }

}  // namespace

const char* check_line(const PalettePass& pass, const CharacterData& data, std::uint64_t word) {
  const std::uint32_t points = pass.table[word + shared::kLinePointCount];
  const std::uint32_t count = points % shared::kLineWrings;
  if (points >= 2 * shared::kLineWrings) return "has too few or too many points";
  if (count < shared::kMinLinePoints || count > shared::kMaxLinePoints) return "has too few or too many points";
  const std::uint64_t first = pass.table[word + shared::kLineFirstPoint];
  const std::uint64_t last = first + count + points / shared::kLineWrings;  // a side vertex
  if (last >= data.vertex_count()) return "names a point that does not exist";
  for (std::uint64_t i = first; i <= last; ++i) {
    if (!is_posed_before(pass, data, static_cast<std::uint32_t>(i))) return "names a point that no earlier stage moves";
  }
  for (const std::uint32_t length : {shared::kLineLength, shared::kLineSide}) {
    const float value = number(pass, word + length);
    if (!(std::isfinite(value) && value > 0)) return "has a length that is not positive";
  }
  return is_within(number(pass, word + shared::kLineLeast), shared::kShortestLine, 1) ? nullptr
                                                                                      : "has a shape out of range";
}

namespace {

constexpr std::uint64_t kSampleWords = std::uint64_t{shared::kLineEntries} * shared::kLineSampleWords;

// Precondition: the table holds the samples.
const char* check_samples(const PalettePass& pass, std::uint64_t first) {
  float before = 0;
  for (std::uint32_t k = 0; k < shared::kLineEntries; ++k) {
    const std::uint64_t word = first + std::uint64_t{k} * shared::kLineSampleWords;
    for (std::uint32_t i = 0; i < shared::kLineSampleWords; ++i) {
      if (!std::isfinite(number(pass, word + i))) return "holds a number that is not finite";
    }
    const std::uint64_t shape = word + shared::kLineSampleShape;
    const bool fits = is_within(number(pass, shape), 0, shared::kMaxLineShare) &&
                      is_within(number(pass, shape + 1), 0, 1) &&
                      is_within(number(pass, shape + 2), 0, shared::kMaxLineExponent);
    if (!fits) return "has a shape out of range";
    const float lambda = number(pass, word);
    if (!(lambda >= before && lambda <= 1)) return "has samples that do not ascend from 0 to 1";
    before = lambda;
  }
  return nullptr;
}

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  enum Part : TableParts::Kind { kLine = 1, kSamples };
  TableParts parts(pass);
  return check_records<shared::ActionLineRecord>(pass, [&](const shared::ActionLineRecord& record) -> const char* {
    bool is_new = false;
    if (const char* wrong = parts.share(record.line, shared::kLineWords, kLine, is_new)) return wrong;
    if (is_new) {
      if (const char* wrong = check_line(pass, data, record.line)) return wrong;
    }
    if (const char* wrong = parts.take(record.first_sample, kSampleWords, kSamples)) return wrong;
    return check_samples(pass, record.first_sample);
  });
}

void pose_records(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context) {
  const shared::PoseWork work = pose_work(pass, context);
  for (std::size_t i = begin; i < end; ++i) {
    const auto record = read_record<shared::ActionLineRecord>(pass.records, i);
    const shared::ActionLine line = shared::read_action_line(work, record.line);
    const float wring = shared::line_wring(line);
    shared::LineWalk walk = shared::line_start(line);
    Affine* entries = &context.palette[pass.first_entry + i * shared::kLineEntries];
    for (std::uint32_t k = 0; k < shared::kLineEntries; ++k) {
      const std::uint32_t word = record.first_sample + k * shared::kLineSampleWords;
      const shared::PosedLineSample place = shared::line_place(line, shared::line_shape(work, word), wring);
      walk = shared::line_walk(line, walk, place);
      entries[k] = affine_compose(shared::line_frame(line, walk, place), shared::line_rest_inverse(work, word));
    }
  }
}

EntryRest rest(const PassEntry& entry) {
  const auto record = entry.read<shared::ActionLineRecord>();
  const std::uint32_t sample = record.first_sample + entry.in_record * shared::kLineSampleWords;
  return {.kind = EntryKind::kLineSample,
          .from_rest = shared::line_rest_inverse(entry.table(), sample),
          .line = {record.line},
          .along = entry.number(sample)};
}

std::string label(const PassEntry& entry, const CharacterData& data) {
  const auto record = entry.read<shared::ActionLineRecord>();
  return formatted("{} at {:.2f}", mesh_of(data, entry.pass.table[record.line + shared::kLineFirstPoint]).name,
                   entry.number(record.first_sample + entry.in_record * shared::kLineSampleWords));
}

// Appends the two control points next to the sample.
void append_sources(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources) {
  const auto record = entry.read<shared::ActionLineRecord>();
  const std::uint32_t first = entry.pass.table[record.line + shared::kLineFirstPoint];
  const std::uint32_t spans = entry.pass.table[record.line + shared::kLinePointCount] % shared::kLineWrings - 1;
  const float at =
      entry.number(record.first_sample + entry.in_record * shared::kLineSampleWords) * static_cast<float>(spans);
  const std::uint32_t span = std::min(static_cast<std::uint32_t>(at), spans - 1);
  const float beyond = at - static_cast<float>(span);
  sources.push_back({SourceKind::kVertex, first + span, 1 - beyond});
  sources.push_back({SourceKind::kVertex, first + span + 1, beyond});
}

}  // namespace

const PoseKernelInfo kActionLine{.name = "action_line",
                                 .record_words = kRecordWords<shared::ActionLineRecord>,
                                 .entries_per_record = shared::kLineEntries,
                                 .validate = validate_records,
                                 .pose = pose_records,
                                 .rest = rest,
                                 .label = label,
                                 .append_sources = append_sources,
                                 .invocation_per_entry = true};

}  // namespace pelt::action_line
