// SPDX-License-Identifier: MIT
#include "engine/character/kernels/spread_twist.h"

#include <pelt/finite.h>

#include "engine/character/kernels/key_weights.h"
#include "shaders/dual_quaternion/spread_pose.h"

namespace pelt {
namespace spread_twist {

const char* Check::operator()(const shared::SpreadTwist& twist) {
  for (const std::uint32_t word : {twist.own, twist.child}) {
    if (word == shared::kNoIndex) continue;
    if (const char* wrong = check_word(word)) return wrong;
  }
  const auto is_part = [](float part) { return part >= 0 && part <= 1; };
  if (!is_part(twist.own_part) || !is_part(twist.child_part)) return "takes a part outside of 0 to 1";
  return is_near(twist.axis) && is_near(twist.origin) ? nullptr : "holds a number that is not finite, or beyond 1e+12";
}

const char* Check::check_word(std::uint64_t word) {
  bool is_new = false;
  if (const char* wrong = parts_.share(word, shared::kTwistWords, 1, is_new)) return wrong;
  if (!is_new) return nullptr;
  if (const char* wrong = key_weights::check_angle(words_, data_, word)) return wrong;
  const float most = words_.number(word + shared::kJointAngleWords);
  return most > 0 && is_near(most) ? nullptr : "fades a twist at no swing";
}

namespace {

Result<void> validate_records(const PalettePass& pass, const CharacterData& data) {
  Check check(pass, data);
  return check_records<shared::SpreadRecord>(pass, [&](const shared::SpreadRecord& record) -> const char* {
    if (record.joint.joint >= data.skeleton.joints.size()) return "names a joint that does not exist";
    if (!is_near(record.joint.inverse_bind)) return "has an inverse bind matrix that is not finite, or beyond 1e+12";
    return check(record.twist);
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
}  // namespace spread_twist

namespace linear_blend {

const PoseKernelInfo kSpreadJoint{.name = "spread_joint",
                                  .record_words = kRecordWords<shared::SpreadRecord>,
                                  .entries_per_record = 1,
                                  .validate = spread_twist::validate_records,
                                  .pose = pose_records<shared::SpreadRecord, shared::pose_spread_joint>,
                                  .rest = spread_twist::rest,
                                  .label = spread_twist::label,
                                  .append_sources = spread_twist::append_sources};

}  // namespace linear_blend

namespace dual_quaternion {

const PoseKernelInfo kSpreadDualQuaternion{.name = "spread_dual_quaternion",
                                           .record_words = kRecordWords<shared::SpreadRecord>,
                                           .entries_per_record = shared::kDualQuaternionEntries,
                                           .validate = spread_twist::validate_records,
                                           .pose = pose_records<shared::SpreadRecord, shared::spread_dual_quaternion>,
                                           .rest = spread_twist::rest,
                                           .label = spread_twist::label,
                                           .append_sources = spread_twist::append_sources,
                                           .contents = {EntryContent::kDualQuaternion, EntryContent::kStretch}};

}  // namespace dual_quaternion
}  // namespace pelt
