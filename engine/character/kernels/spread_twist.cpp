// SPDX-License-Identifier: MIT
#include <pelt/finite.h>

#include "engine/character/check_records.h"
#include "engine/character/kernels/key_weights.h"
#include "engine/character/table_reader.h"
#include "shaders/spread_twist/pose.h"

namespace pelt::spread_twist {
namespace {

constexpr const char* kNoJoint = "names a joint that does not exist";
constexpr const char* kNotFinite = "holds a number that is not finite, or beyond 1e+12";

bool names_joint(const shared::JointRecord& joint, const CharacterData& data) {
  return joint.joint < data.skeleton.joints.size();
}

Result<void> validate_bones(const PalettePass& pass, const CharacterData& data) {
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
  return check_records<shared::BoneTwistRecord>(pass, [&](const shared::BoneTwistRecord& record) -> const char* {
    if (!names_joint(record.joint, data)) return kNoJoint;
    for (const std::uint32_t word : {record.own, record.child}) {
      if (const char* wrong = check_word(word)) return wrong;
    }
    return is_near(record.joint.inverse_bind) ? nullptr : kNotFinite;
  });
}

Result<void> validate_steps(const PalettePass& pass, const CharacterData& data) {
  const EntryRuns twists = entries_posed_first(pass, data, PoseKernel::kBoneTwist);
  const auto is_part = [](float part) { return part >= 0 && part <= 1; };
  return check_records<shared::SpreadRecord>(pass, [&](const shared::SpreadRecord& record) -> const char* {
    if (!names_joint(record.joint, data)) return kNoJoint;
    if (!twists.hold(record.twist)) return "names twists that no earlier pass writes";
    if (!is_part(record.own_part) || !is_part(record.child_part)) return "takes a part outside of 0 to 1";
    const bool finite = is_near(record.joint.inverse_bind) && is_near(record.axis) && is_near(record.origin);
    return finite ? nullptr : kNotFinite;
  });
}

EntryRest rest(const PassEntry& entry) {
  if (entry.in_record != 0) return {.kind = EntryKind::kJointStretch};
  return {.kind = EntryKind::kBoneStep, .from_rest = entry.read<shared::SpreadRecord>().joint.inverse_bind};
}

template <class Record>
std::string label(const PassEntry& entry, const CharacterData& data) {
  return "twist along joint " + data.skeleton.joints[entry.read<Record>().joint.joint].name;
}

template <class Record>
void append_sources(const PassEntry& entry, const CharacterData&, std::vector<EntrySource>& sources) {
  sources.push_back({SourceKind::kJoint, entry.read<Record>().joint.joint, 1});
}

}  // namespace

const PoseKernelInfo kSpreadJoint{.name = "spread_joint",
                                  .record_words = kRecordWords<shared::SpreadRecord>,
                                  .entries_per_record = 1,
                                  .validate = validate_steps,
                                  .pose = pose_records<shared::SpreadRecord, shared::pose_spread_joint>,
                                  .rest = rest,
                                  .label = label<shared::SpreadRecord>,
                                  .append_sources = append_sources<shared::SpreadRecord>};

const PoseKernelInfo kSpreadDualQuaternion{.name = "spread_dual_quaternion",
                                           .record_words = kRecordWords<shared::SpreadRecord>,
                                           .entries_per_record = shared::kDualQuaternionEntries,
                                           .validate = validate_steps,
                                           .pose = pose_records<shared::SpreadRecord, shared::spread_dual_quaternion>,
                                           .rest = rest,
                                           .label = label<shared::SpreadRecord>,
                                           .append_sources = append_sources<shared::SpreadRecord>,
                                           .contents = {EntryContent::kDualQuaternion, EntryContent::kStretch}};

const PoseKernelInfo kBoneTwist{.name = "bone_twist",
                                .record_words = kRecordWords<shared::BoneTwistRecord>,
                                .entries_per_record = 1,
                                .validate = validate_bones,
                                .pose = pose_records<shared::BoneTwistRecord, shared::pose_bone_twist>,
                                .rest = no_rest,
                                .label = label<shared::BoneTwistRecord>,
                                .append_sources = append_sources<shared::BoneTwistRecord>,
                                .contents = both(EntryContent::kNumbers),
                                .posed_first = true};

}  // namespace pelt::spread_twist
