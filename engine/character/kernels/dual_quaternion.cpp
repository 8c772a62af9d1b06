// SPDX-License-Identifier: MIT
#include "engine/character/kernels/linear_blend.h"
#include "shaders/dual_quaternion/pose.h"

namespace pelt::dual_quaternion {

const PoseKernelInfo kDualQuaternion{.name = "dual_quaternion",
                                     .record_words = kRecordWords<shared::JointRecord>,
                                     .entries_per_record = shared::kDualQuaternionEntries,
                                     .validate = linear_blend::validate_records,
                                     .pose = pose_records<shared::JointRecord, shared::dual_quaternion_entry>,
                                     .rest = linear_blend::joint_rest,
                                     .label = linear_blend::joint_label,
                                     .append_sources = linear_blend::append_joint,
                                     .contents = {EntryContent::kDualQuaternion, EntryContent::kStretch}};

}  // namespace pelt::dual_quaternion
