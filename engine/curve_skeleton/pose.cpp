// SPDX-License-Identifier: MIT
#include "engine/curve_skeleton/pose.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/chain/check_chain.h"
#include "engine/character/table_reader.h"
#include "shaders/curve_skeleton/pose.h"

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

  // Why a record cannot be posed; nullptr where it can.
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

  // Each curve once, whatever names it. Curves and samples that overlap are refused, so that a small file does not take
  // long to check or to pose.
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
  std::vector<bool> checked_curves_;  // by their words
  std::uint64_t read_ = 0;            // words of curves and samples so far
};

}  // namespace

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  Table table(pass, data);
  for (std::size_t i = 0; i < pass.record_count; ++i) {
    if (const char* wrong = table.check(read_record<shared::CurveRecord>(pass.records, i))) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("record {} {}", i, wrong));
    }
  }
  return {};
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

}  // namespace pelt::curve_skeleton
