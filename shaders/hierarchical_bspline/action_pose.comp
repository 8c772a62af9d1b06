// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../pose_pass.glsl"
#include "action_pose.h"

layout(binding = kPoseBindRecords, std430) readonly buffer Records { ActionRecord records[]; };

void main() {
  PoseWork work = pose_work();
  if (!work.inside) return;
  uint slot = work.palette_first + work.record_index * kActionSlots;
  ActionEntries entries = pose_action(records[work.record], palette[slot + 1u], work);
  palette[slot] = entries.shift;
  palette[slot + 1u] = entries.state;
}
