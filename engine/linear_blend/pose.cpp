// SPDX-License-Identifier: MIT
#include "engine/linear_blend/pose.h"

#include <fmt/format.h>

#include <pelt/finite.h>

#include "shaders/linear_blend/pose.h"

namespace pelt::linear_blend {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  for (std::size_t i = 0; i < pass.record_count; ++i) {
    const auto record = read_record<shared::JointRecord>(pass.records, i);
    if (record.joint >= data.skeleton.joints.size()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("record {} names joint {} of {}", i, record.joint, data.skeleton.joints.size()));
    }
    if (!is_finite(record.inverse_bind)) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("the inverse bind matrix of record {} is not finite", i));
    }
  }
  return {};
}

}  // namespace pelt::linear_blend
