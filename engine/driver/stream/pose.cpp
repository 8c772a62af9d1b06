// SPDX-License-Identifier: MIT
#include "engine/driver/stream/pose.h"

#include <fmt/format.h>

#include <pelt/finite.h>

#include "shaders/driver/stream/pose.h"

namespace pelt::stream {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  for (std::size_t i = 0; i < pass.record_count; ++i) {
    const auto record = read_record<shared::StreamRecord>(pass.records, i);
    if (std::uint64_t{record.first_input} + 3 > data.input_count) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("record {} names inputs {} to {} of {}", i, record.first_input,
                              std::uint64_t{record.first_input} + 2, data.input_count));
    }
    if (!is_finite(record.rest)) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("the rest position of record {} is not finite", i));
    }
  }
  return {};
}

}  // namespace pelt::stream
