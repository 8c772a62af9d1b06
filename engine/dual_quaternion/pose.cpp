// SPDX-License-Identifier: MIT
#include "engine/dual_quaternion/pose.h"

#include "shaders/dual_quaternion/pose.h"

namespace pelt::dual_quaternion {

void pose_records(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context) {
  const shared::PoseWork work = pose_work(pass, context);
  for (std::size_t i = begin; i < end; ++i) {
    const auto record = read_record<shared::JointRecord>(pass.records, i);
    const shared::DualQuaternionEntry entry = shared::dual_quaternion_entry(shared::pose_joint(record, work));
    context.palette[pass.first_slot + 2 * i] = entry.rigid;
    context.palette[pass.first_slot + 2 * i + 1] = entry.stretch;
  }
}

}  // namespace pelt::dual_quaternion
