// SPDX-License-Identifier: MIT
#include "engine/character/kernels/linear_blend.h"

#include <pelt/finite.h>

#include "engine/character/base/invalid.h"
#include "shaders/linear_blend/pose.h"

namespace pelt::linear_blend {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  for (std::size_t i = 0; i < pass.record_count; ++i) {
    const auto record = read_record<shared::JointRecord>(pass.records, i);
    if (record.joint >= data.skeleton.joints.size()) {
      return invalid("record {} names joint {}, but there are only {}", i, record.joint, data.skeleton.joints.size());
    }
    if (!is_near(record.inverse_bind)) {
      return invalid("the inverse bind matrix of record {} is not finite, or beyond {:g}", i, kMaxCoordinate);
    }
  }
  return {};
}

EntryRest joint_rest(const PassEntry& entry) {
  if (entry.in_record != 0) return {.kind = EntryKind::kJointStretch};
  return {.kind = EntryKind::kJoint, .from_rest = entry.read<shared::JointRecord>().inverse_bind};
}

std::string joint_label(const PassEntry& entry, const CharacterData& data) {
  return "joint " + data.skeleton.joints[entry.read<shared::JointRecord>().joint].name;
}

void append_joint(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources) {
  sources.push_back({SourceKind::kJoint, entry.read<shared::JointRecord>().joint, 1});
}

const PoseKernelInfo kLinearBlend{.name = "linear_blend",
                                  .record_words = kRecordWords<shared::JointRecord>,
                                  .entries_per_record = 1,
                                  .validate = validate_records,
                                  .pose = pose_records<shared::JointRecord, shared::pose_joint>,
                                  .rest = joint_rest,
                                  .label = joint_label,
                                  .append_sources = append_joint};

}  // namespace pelt::linear_blend
