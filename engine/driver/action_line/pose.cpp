// SPDX-License-Identifier: MIT
#include "engine/driver/action_line/pose.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "shaders/driver/action_line/pose.h"

namespace pelt::action_line {
namespace {

float number(const PalettePass& pass, std::uint64_t word) { return std::bit_cast<float>(pass.table[word]); }

bool is_within(float value, float least, float most) { return value >= least && value <= most; }

const char* check_line(const PalettePass& pass, const CharacterData& data, std::uint64_t word) {
  if (word + shared::kLineWords > pass.table.size()) return "reads past its table";
  const std::uint32_t count = pass.table[word + shared::kLinePointCount];
  if (count < shared::kMinLinePoints || count > shared::kMaxLinePoints) return "has too few or too many points";
  const std::uint64_t first = pass.table[word + shared::kLineFirstPoint];
  if (first + count >= data.vertex_count()) return "names a point that is not there";
  for (std::uint64_t i = first; i <= first + count; ++i) {  // and the side vertex
    if (!is_posed_before(pass, data, static_cast<std::uint32_t>(i))) return "names a point that nothing has moved yet";
  }
  for (const std::uint32_t length : {shared::kLineLength, shared::kLineSide}) {
    const float value = number(pass, word + length);
    if (!(std::isfinite(value) && value > 0)) return "has a length that is not positive";
  }
  return is_within(number(pass, word + shared::kLineLeast), shared::kShortestLine, 1) ? nullptr
                                                                                      : "has a shape out of range";
}

const char* check_samples(const PalettePass& pass, std::uint64_t first) {
  if (first + std::uint64_t{shared::kLineSlots} * shared::kLineSampleWords > pass.table.size()) {
    return "reads past its table";
  }
  float before = 0;
  for (std::uint32_t k = 0; k < shared::kLineSlots; ++k) {
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

}  // namespace

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  for (std::size_t i = 0; i < pass.record_count; ++i) {
    const auto record = read_record<shared::ActionLineRecord>(pass.records, i);
    const char* wrong = check_line(pass, data, record.line);
    if (wrong == nullptr) wrong = check_samples(pass, record.first_sample);
    if (wrong != nullptr) return fail(ErrorCode::kInvalidArgument, fmt::format("record {} {}", i, wrong));
  }
  return {};
}

void pose_records(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context) {
  const shared::PoseWork work = pose_work(pass, context);
  for (std::size_t i = begin; i < end; ++i) {
    const auto record = read_record<shared::ActionLineRecord>(pass.records, i);
    const shared::ActionLine line = shared::read_action_line(work, record.line);
    shared::LineWalk walk = shared::line_start(line);
    Affine* slots = &context.palette[pass.first_slot + i * shared::kLineSlots];
    for (std::uint32_t k = 0; k < shared::kLineSlots; ++k) {
      const std::uint32_t word = record.first_sample + k * shared::kLineSampleWords;
      const shared::LinePlace place = shared::line_place(line, shared::line_shape(work, word));
      walk = shared::line_walk(line, walk, place);
      slots[k] = affine_compose(shared::line_frame(line, walk, place), shared::line_rest_inverse(work, word));
    }
  }
}

}  // namespace pelt::action_line
