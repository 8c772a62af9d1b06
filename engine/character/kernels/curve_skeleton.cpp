// SPDX-License-Identifier: MIT
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "engine/character/base/formatted.h"
#include "engine/character/check_records.h"
#include "engine/character/kernels/check_chain.h"
#include "engine/character/pose_kernels.h"
#include "engine/character/table_reader.h"
#include "shaders/curve_skeleton/pose.h"
#include "shaders/curve_skeleton/step_pose.h"

namespace pelt::curve_skeleton {
namespace {

bool is_posed_by_steps(const PalettePass& pass) { return pass.kernel != PoseKernel::kSplineCurve; }

// Reads a pass's table, within its bounds.
class Table {
 public:
  Table(const PalettePass& pass, const CharacterData& data)
      : words_(pass.table),
        data_(data),
        by_steps_(is_posed_by_steps(pass)),
        reads_steps_(pass.kernel == PoseKernel::kCurveSkeleton),
        anchors_(entries_before(pass, data, PoseKernel::kAnchor)),
        steps_(entries_before(pass, data, PoseKernel::kCurveStep)),
        parts_(pass),
        posed_(pass) {}

  // Returns the reason why a record cannot be posed, or nullptr.
  const char* check(const shared::CurveRecord& record) {
    if (const char* wrong = check_curve(record.curve)) return wrong;
    if (record.bone >= words_.word(record.curve) - 1) return "names a bone that does not exist";
    if (const char* wrong = parts_.take(record.first_sample, kSampleWords, kSamples)) return wrong;
    return check_samples(record.first_sample);
  }
  const char* check(const shared::CurveStepRecord& record) {
    if (const char* wrong = check_curve(record.curve)) return wrong;
    if (record.anchor >= words_.word(record.curve)) return "names an anchor that does not exist";
    return posed_.take(shared::kAnchorWords + shared::kCurveAnchorWords);
  }

 private:
  enum Part : TableParts::Kind { kCurve = 1, kAnchors, kCurveAnchors, kKeys, kSamples };
  static constexpr std::uint64_t kSampleWords = std::uint64_t{shared::kCurveEntries} * shared::kCurveSampleWords;

  const char* check_samples(std::uint64_t first) const {
    if (const char* wrong = words_.check_numbers(first, kSampleWords)) return wrong;
    for (std::uint64_t word = first; word < first + kSampleWords; word += shared::kCurveSampleWords) {
      if (!(words_.number(word) >= 0 && words_.number(word) <= 1)) return "has a sample that is not on its bone";
    }
    return nullptr;
  }

  // Checks each curve once, even if several records refer to it.
  const char* check_curve(std::uint64_t word) {
    if (!words_.holds(word, shared::kCurveWords)) return "reads past its table";
    bool is_new = false;
    if (const char* wrong = parts_.share(word, shared::kCurveWords, kCurve, is_new)) return wrong;
    if (!is_new) return nullptr;
    if (const char* wrong = chain::check_posed_chain(words_, data_, anchors_, word)) return wrong;
    const std::uint64_t count = words_.word(word);
    const std::uint64_t anchors = words_.word(word + shared::kChainFirstAnchor);
    if (const char* wrong = parts_.take(anchors, count * shared::kAnchorWords, kAnchors)) return wrong;
    if (reads_steps_ && !steps_.hold(words_.word(word + shared::kCurveFirstStep), count * shared::kCurveStepEntries)) {
      return "has steps that no earlier stage poses";
    }
    const std::uint32_t frames = words_.word(word + shared::kCurveFrames);
    if (frames > shared::kCurveFramesEndpoint) return "has frames of an unknown kind";
    if ((frames == shared::kCurveFramesAuto) != by_steps_) return "has frames of another kernel";
    if (words_.word(word + shared::kCurveReference) > shared::kCurveReferenceJoint) return "has an unknown reference";
    if (const char* wrong = words_.check_numbers(word + shared::kCurveCentre, 1)) return wrong;
    const std::uint64_t first = words_.word(word + shared::kCurveFirstAnchor);
    if (const char* wrong = parts_.take(first, count * shared::kCurveAnchorWords, kCurveAnchors)) return wrong;
    float length = -std::numeric_limits<float>::infinity();
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t anchor = first + i * shared::kCurveAnchorWords;
      if (const char* wrong = check_curve_anchor(anchor)) return wrong;
      if (!(words_.number(anchor) > length)) return "has rest lengths that do not ascend";
      length = words_.number(anchor);
    }
    return nullptr;
  }

  const char* check_curve_anchor(std::uint64_t word) {
    const std::uint64_t keys = word + shared::kCurveAnchorKeys;
    if (const char* wrong = words_.check_numbers(word, shared::kCurveAnchorKeys)) return wrong;
    if (const char* wrong = words_.check_numbers(keys + 2, shared::kCurveAnchorWords - shared::kCurveAnchorKeys - 2)) {
      return wrong;
    }
    if (!(words_.number(word + shared::kCurveAnchorLeast) <= words_.number(word + shared::kCurveAnchorMost))) {
      return "has an empty range of distances";
    }
    const std::uint64_t first = words_.word(keys);
    const std::uint64_t count = words_.word(keys + 1);
    if (count == shared::kCurveEased && by_steps_) return check_eases(first);
    if (count > shared::kMaxFloatKeys) return "has too many keys";
    if (const char* wrong = parts_.take(first, 2 * count, kKeys)) return wrong;
    if (const char* wrong = words_.check_numbers(first, 2 * count)) return wrong;
    for (std::uint64_t k = 1; k < count; ++k) {
      if (!(words_.number(first + 2 * k) > words_.number(first + 2 * k - 2))) return "has keys that do not ascend";
    }
    return nullptr;
  }

  const char* check_eases(std::uint64_t word) {
    if (const char* wrong = parts_.take(word, 2, kKeys)) return wrong;
    if (const char* wrong = words_.check_numbers(word, 2)) return wrong;
    for (const std::uint64_t side : {word, word + 1}) {
      if (!(words_.number(side) >= 0 && words_.number(side) < 3)) return "has eases that turn a curve back";
    }
    return nullptr;
  }

  TableReader words_;
  const CharacterData& data_;
  bool by_steps_, reads_steps_;
  EntryRuns anchors_, steps_;
  TableParts parts_;
  TableBudget posed_;  // words that steps read
};

template <class Record>
Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  Table table(pass, data);
  return check_records<Record>(pass, [&](const Record& record) { return table.check(record); });
}

void pose_spline_samples(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context) {
  const shared::PoseWork work = pose_work(pass, context);
  shared::CurvePart part;
  for (std::size_t i = begin; i < end; ++i) {
    const auto record = read_record<shared::CurveRecord>(pass.records, i);
    const auto before = i > begin ? read_record<shared::CurveRecord>(pass.records, i - 1) : record;
    if (i == begin || before.curve != record.curve || before.bone != record.bone)
      part = curve_part(work, record.curve, record.bone);
    Affine* entries = &context.palette[pass.first_entry + i * shared::kCurveEntries];
    for (std::uint32_t k = 0; k < shared::kCurveEntries; ++k) entries[k] = pose_spline_sample_of(record, part, work, k);
  }
}

std::uint32_t sample_word(const PassEntry& entry) {
  return entry.read<shared::CurveRecord>().first_sample + entry.in_record * shared::kCurveSampleWords;
}

EntryRest rest(const PassEntry& entry) {
  const auto record = entry.read<shared::CurveRecord>();
  const std::uint32_t sample = sample_word(entry);
  return {.kind = EntryKind::kCurveSample,
          .from_rest = shared::table_affine(entry.table(), sample + shared::kCurveSampleInverse),
          .line = {record.curve, record.bone},
          .along = entry.number(sample)};
}

std::string label(const PassEntry& entry, const CharacterData& data) {
  const auto record = entry.read<shared::CurveRecord>();
  const std::vector<std::uint32_t>& table = entry.pass.table;
  const shared::Chain chain = shared::read_chain(entry.table(), record.curve);
  const auto joint = [&](std::uint32_t anchor) {
    return data.skeleton.joints[table[shared::anchor_word(chain, anchor)]].name;
  };
  const std::uint32_t anchor =
      table[record.curve + shared::kCurveFirstAnchor] + record.bone * shared::kCurveAnchorWords;
  const float from = entry.number(anchor + shared::kCurveAnchorLength);
  const float to = entry.number(anchor + shared::kCurveAnchorWords + shared::kCurveAnchorLength);
  return formatted("curve {}..{} at {:.3f} m", joint(0), joint(chain.anchor_count - 1),
                   std::lerp(from, to, entry.number(sample_word(entry))));
}

// Appends the joints of the two anchors next to the sample.
void append_sources(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources) {
  const auto record = entry.read<shared::CurveRecord>();
  const shared::Chain chain = shared::read_chain(entry.table(), record.curve);
  const float lambda = entry.number(sample_word(entry));
  const auto joint = [&](std::uint32_t anchor) { return entry.pass.table[shared::anchor_word(chain, anchor)]; };
  sources.push_back({SourceKind::kJoint, joint(record.bone), 1 - lambda});
  sources.push_back({SourceKind::kJoint, joint(record.bone + 1), lambda});
}

// Appends the anchors of every curve.
void append_handles(const PalettePass& pass, const PoseContext& context, std::vector<PosedHandle>& handles) {
  const shared::PoseWork work = pose_work(pass, context);
  std::set<std::uint32_t> curves;
  for (std::uint32_t r = 0; r < pass.record_count; ++r) {
    curves.insert(read_record<shared::CurveRecord>(pass.records, r).curve);
  }
  std::uint32_t line = 0;
  for (const std::uint32_t curve : curves) {
    const shared::Chain chain = shared::read_chain(work, curve);
    for (std::uint32_t i = 0; i < chain.anchor_count; ++i) {
      handles.push_back({.kind = EntryKind::kCurveSample,
                         .line = line,
                         .joint = pass.table[shared::anchor_word(chain, i)],
                         .frame = affine_from_axes(glm::mat3(1.0f), shared::anchor_pose(work, chain, i).position)});
    }
    ++line;
  }
}

constexpr PoseKernelInfo sample_kernel(const char* name, decltype(PoseKernelInfo::pose) pose) {
  return {.name = name,
          .record_words = kRecordWords<shared::CurveRecord>,
          .entries_per_record = shared::kCurveEntries,
          .validate = validate_records<shared::CurveRecord>,
          .pose = pose,
          .rest = rest,
          .label = label,
          .append_sources = append_sources,
          .append_handles = append_handles,
          .invocation_per_entry = true};
}

std::uint32_t step_joint(const PassEntry& entry) {
  const auto record = entry.read<shared::CurveStepRecord>();
  const shared::Chain chain = shared::read_chain(entry.table(), record.curve);
  return entry.pass.table[shared::anchor_word(chain, record.anchor)];
}

std::string step_label(const PassEntry& entry, const CharacterData& data) {
  return formatted("step of a curve at {}", data.skeleton.joints[step_joint(entry)].name);
}

void append_step_source(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources) {
  sources.push_back({SourceKind::kJoint, step_joint(entry), 1});
}

}  // namespace

const PoseKernelInfo kCurveStep{.name = "curve_step",
                                .record_words = kRecordWords<shared::CurveStepRecord>,
                                .entries_per_record = shared::kCurveStepEntries,
                                .validate = validate_records<shared::CurveStepRecord>,
                                .pose = pose_records<shared::CurveStepRecord, shared::pose_curve_step>,
                                .rest = no_rest,
                                .label = step_label,
                                .append_sources = append_step_source,
                                .contents = both(EntryContent::kNumbers)};

const PoseKernelInfo kCurveSkeleton = sample_kernel(
    "curve_skeleton", pose_entries<shared::CurveRecord, shared::kCurveEntries, shared::pose_curve_sample>);
const PoseKernelInfo kSplineCurve = sample_kernel("spline_curve", pose_spline_samples);

}  // namespace pelt::curve_skeleton
