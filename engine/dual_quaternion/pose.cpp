// SPDX-License-Identifier: MIT
#include "engine/linear_blend/pose.h"

#include "shaders/dual_quaternion/pose.h"

namespace pelt::dual_quaternion {
namespace {

void pose_records(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context) {
  const shared::PoseWork work = pose_work(pass, context);
  for (std::size_t i = begin; i < end; ++i) {
    const auto record = read_record<shared::JointRecord>(pass.records, i);
    const shared::DualQuaternionEntry entry = shared::dual_quaternion_entry(shared::pose_joint(record, work));
    context.palette[pass.first_slot + 2 * i] = entry.rigid;
    context.palette[pass.first_slot + 2 * i + 1] = entry.stretch;
  }
}

}  // namespace

const PoseKernelInfo kDualQuaternion{.name = "dual_quaternion",
                                     .record_words = kRecordWords<shared::JointRecord>,
                                     .slots_per_record = shared::kDualQuaternionSlots,
                                     .validate = linear_blend::validate_records,
                                     .pose = pose_records,
                                     .rest = linear_blend::joint_rest,
                                     .label = linear_blend::joint_label,
                                     .append_sources = linear_blend::append_joint};

}  // namespace pelt::dual_quaternion
