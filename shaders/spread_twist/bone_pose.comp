// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../pose_pass.glsl"
#include "pose.h"

layout(binding = kPoseBindRecords, std430) readonly buffer Records { BoneTwistRecord records[]; };

void main() {
  PoseWork work = pose_work();
  if (!work.inside) return;
  palette[work.palette_first + work.record_index] = pose_bone_twist(records[work.record], work);
}
