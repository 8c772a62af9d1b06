// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "pose.h"
#include "../pose_pass.glsl"

layout(binding = kPoseBindRecords, scalar) readonly buffer Records { JointRecord records[]; };

void main() {
  PoseWork work = pose_work();
  if (!work.inside) return;
  JointRecord record = records[work.record];
  mat4 joint_matrix = joint_matrices[work.joint_first + record.joint];
  DualQuaternionEntry entry = dual_quaternion_entry(pose_joint(record, joint_matrix));
  uint slot = work.palette_first + work.record_index * kDualQuaternionSlots;
  palette[slot] = entry.rigid;
  palette[slot + 1u] = entry.stretch;
}
