// SPDX-License-Identifier: MIT
#include <pelt/finite.h>

#include "engine/character/check_records.h"
#include "engine/character/kernels/key_weights.h"
#include "engine/character/table_reader.h"
#include "shaders/spread_twist/pose.h"

namespace pelt::spread_twist {
namespace {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  const TableReader words(pass.table);
  TableParts parts(pass);
  const auto check_word = [&](std::uint64_t word) -> const char* {
    bool is_new = false;
    if (word == shared::kNoIndex) return nullptr;
    if (const char* wrong = parts.share(word, shared::kTwistWords, 1, is_new)) return wrong;
    if (!is_new) return nullptr;
    if (const char* wrong = key_weights::check_angle(words, data, word)) return wrong;
    const float most = words.number(word + shared::kJointAngleWords);
    return most > 0 && is_near(most) ? nullptr : "fades a twist at no swing";
  };
  const auto is_part = [](float part) { return part >= 0 && part <= 1; };
  return check_records<shared::SpreadRecord>(pass, [&](const shared::SpreadRecord& record) -> const char* {
    if (record.joint.joint >= data.skeleton.joints.size()) return "names a joint that does not exist";
    for (const std::uint32_t word : {record.own, record.child}) {
      if (const char* wrong = check_word(word)) return wrong;
    }
    if (!is_part(record.own_part) || !is_part(record.child_part)) return "takes a part outside of 0 to 1";
    const bool finite = is_near(record.joint.inverse_bind) && is_near(record.axis) && is_near(record.origin);
    return finite ? nullptr : "holds a number that is not finite, or beyond 1e+12";
  });
}

EntryRest rest(const PassEntry& entry) {
  if (entry.in_record != 0) return {.kind = EntryKind::kJointStretch};
  return {.kind = EntryKind::kJoint, .from_rest = entry.read<shared::SpreadRecord>().joint.inverse_bind};
}

std::string label(const PassEntry& entry, const CharacterData& data) {
  const auto record = entry.read<shared::SpreadRecord>();
  return "twist along joint " + data.skeleton.joints[record.joint.joint].name;
}

void append_sources(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources) {
  sources.push_back({SourceKind::kJoint, entry.read<shared::SpreadRecord>().joint.joint, 1});
}

}  // namespace

const PoseKernelInfo kSpreadJoint{.name = "spread_joint",
                                  .record_words = kRecordWords<shared::SpreadRecord>,
                                  .entries_per_record = 1,
                                  .validate = validate_records,
                                  .pose = pose_records<shared::SpreadRecord, shared::pose_spread_joint>,
                                  .rest = rest,
                                  .label = label,
                                  .append_sources = append_sources};

const PoseKernelInfo kSpreadDualQuaternion{.name = "spread_dual_quaternion",
                                           .record_words = kRecordWords<shared::SpreadRecord>,
                                           .entries_per_record = shared::kDualQuaternionEntries,
                                           .validate = validate_records,
                                           .pose = pose_records<shared::SpreadRecord, shared::spread_dual_quaternion>,
                                           .rest = rest,
                                           .label = label,
                                           .append_sources = append_sources,
                                           .contents = {EntryContent::kDualQuaternion, EntryContent::kStretch}};

}  // namespace pelt::spread_twist
