// SPDX-License-Identifier: MIT
#include "shaders/curve_skeleton/pose.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "engine/chain/check_chain.h"
#include "engine/character/check_records.h"
#include "engine/character/pose_kernels.h"
#include "engine/character/table_reader.h"

namespace pelt::curve_skeleton {
namespace {

bool is_posed_by_steps(const PalettePass& pass) { return pass.kernel == PoseKernel::kCurveSkeleton; }

// Reads a pass's table, within its bounds.
class Table {
 public:
  Table(const PalettePass& pass, const CharacterData& data)
      : words_(pass.table),
        data_(data),
        by_steps_(is_posed_by_steps(pass)),
        checked_curves_(pass.table.size(), false) {}

  // Returns why a record cannot be posed, or nullptr if it can.
  const char* check(const shared::CurveRecord& record) {
    if (const char* wrong = check_curve(record.curve)) return wrong;
    read_ += std::uint64_t{shared::kCurveSlots} * shared::kCurveSampleWords;
    if (read_ > words_.size()) return "and those before it read more of its table than there is";
    if (record.bone >= words_.word(record.curve) - 1) return "names a bone that is not there";
    return check_samples(record.first_sample);
  }

 private:
  const char* check_samples(std::uint64_t first) const {
    const std::uint64_t count = std::uint64_t{shared::kCurveSlots} * shared::kCurveSampleWords;
    if (const char* wrong = words_.check_numbers(first, count)) return wrong;
    for (std::uint64_t word = first; word < first + count; word += shared::kCurveSampleWords) {
      if (!(words_.number(word) >= 0 && words_.number(word) <= 1)) return "has a sample that is not on its bone";
    }
    return nullptr;
  }

  // Checks each curve once, however many records name it. Curves and samples that overlap are refused, so that a small
  // file does not take long to check or to pose.
  const char* check_curve(std::uint64_t word) {
    if (!words_.holds(word, shared::kCurveWords)) return "reads past its table";
    if (checked_curves_[word]) return nullptr;
    checked_curves_[word] = true;
    if (const char* wrong = chain::check_chain(words_, data_, word)) return wrong;
    const std::uint64_t count = words_.word(word);
    read_ += shared::kCurveWords + count * (shared::kAnchorWords + shared::kCurveAnchorWords);
    const std::uint32_t frames = words_.word(word + shared::kCurveFrames);
    if (frames > shared::kCurveFramesEndpoint) return "has frames of an unknown kind";
    if ((frames == shared::kCurveFramesAuto) != by_steps_) return "has frames of another kernel";
    if (words_.word(word + shared::kCurveReference) > shared::kCurveReferenceJoint) return "has an unknown reference";
    if (const char* wrong = words_.check_numbers(word + shared::kCurveCentre, 1)) return wrong;
    const std::uint64_t first = words_.word(word + shared::kCurveFirstAnchor);
    float length = -std::numeric_limits<float>::infinity();
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t anchor = first + i * shared::kCurveAnchorWords;
      if (const char* wrong = check_curve_anchor(anchor)) return wrong;
      if (!(words_.number(anchor) > length)) return "has rest lengths that do not ascend";
      length = words_.number(anchor);
    }
    return nullptr;
  }

  const char* check_curve_anchor(std::uint64_t word) const {
    const std::uint64_t keys = word + shared::kCurveAnchorKeys;
    if (const char* wrong = words_.check_numbers(word, shared::kCurveAnchorKeys)) return wrong;
    if (const char* wrong = words_.check_numbers(keys + 2, shared::kCurveAnchorWords - shared::kCurveAnchorKeys - 2)) {
      return wrong;
    }
    if (!(words_.number(word + shared::kCurveAnchorLeast) <= words_.number(word + shared::kCurveAnchorMost))) {
      return "has a range of distances that is none";
    }
    const std::uint64_t first = words_.word(keys);
    const std::uint64_t count = words_.word(keys + 1);
    if (count > shared::kMaxFloatKeys) return "has too many keys";
    if (const char* wrong = words_.check_numbers(first, 2 * count)) return wrong;
    for (std::uint64_t k = 1; k < count; ++k) {
      if (!(words_.number(first + 2 * k) > words_.number(first + 2 * k - 2))) return "has keys that do not ascend";
    }
    return nullptr;
  }

  TableReader words_;
  const CharacterData& data_;
  bool by_steps_;
  std::vector<bool> checked_curves_;  // by the index of their first word
  std::uint64_t read_ = 0;            // number of words of curves and samples read so far
};

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  Table table(pass, data);
  return check_records<shared::CurveRecord>(pass,
                                            [&](const shared::CurveRecord& record) { return table.check(record); });
}

void append_chains(const PalettePass& pass, std::size_t i, std::vector<std::uint32_t>& chains) {
  chains.push_back(read_record<shared::CurveRecord>(pass.records, i).curve);
}

void pose_records(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context) {
  const shared::PoseWork work = pose_work(pass, context);
  const bool by_steps = is_posed_by_steps(pass);
  shared::CurvePart part;
  for (std::size_t i = begin; i < end; ++i) {
    const auto record = read_record<shared::CurveRecord>(pass.records, i);
    const auto before = i > begin ? read_record<shared::CurveRecord>(pass.records, i - 1) : record;
    if (i == begin || before.curve != record.curve || before.bone != record.bone)
      part = curve_part(record, work, by_steps);
    Affine* slots = &context.palette[pass.first_slot + i * shared::kCurveSlots];
    for (std::uint32_t k = 0; k < shared::kCurveSlots; ++k)
      slots[k] = pose_curve_sample(record, part, work, k, by_steps);
  }
}

std::uint32_t sample_word(const PassEntry& entry) {
  return entry.read<shared::CurveRecord>().first_sample + entry.slot * shared::kCurveSampleWords;
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
  return fmt::format("curve {}..{} at {:.3f} m", joint(0), joint(chain.anchor_count - 1),
                     std::lerp(from, to, entry.number(sample_word(entry))));
}

// Appends the joints of the two anchors beside the sample.
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

constexpr PoseKernelInfo curve_kernel(const char* name) {
  return {.name = name,
          .record_words = kRecordWords<shared::CurveRecord>,
          .slots_per_record = shared::kCurveSlots,
          .validate = validate_records,
          .pose = pose_records,
          .rest = rest,
          .label = label,
          .append_sources = append_sources,
          .append_chains = append_chains,
          .append_handles = append_handles};
}

}  // namespace

const PoseKernelInfo kCurveSkeleton = curve_kernel("curve_skeleton");
const PoseKernelInfo kSplineCurve = curve_kernel("spline_curve");

}  // namespace pelt::curve_skeleton
