// SPDX-License-Identifier: MIT
#include "engine/linear_blend/pose.h"

#include <fmt/format.h>

#include "engine/character/records.h"
#include "engine/core/finite.h"
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

void pose_records(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context) {
  for (std::size_t i = begin; i < end; ++i) {
    const auto record = read_record<shared::JointRecord>(pass.records, i);
    context.palette[pass.first_slot + i] = shared::pose_joint(record, context.joints[record.joint]);
  }
}

}  // namespace pelt::linear_blend
