// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../pose_pass.glsl"
#include "action_pose.h"

layout(binding = kPoseBindRecords, std430) readonly buffer Records { ActionRecord records[]; };

void main() {
  PoseWork work = pose_work();
  if (!work.inside) return;
  uint entry = work.palette_first + work.record_index * kActionEntries;
  ActionEntries entries = pose_action(records[work.record], palette[entry + 1u], work);
  palette[entry] = entries.shift;
  palette[entry + 1u] = entries.state;
}
