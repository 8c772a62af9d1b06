// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../pose_pass.glsl"
#include "pose.h"

layout(binding = kPoseBindRecords, std430) readonly buffer Records { CurveRecord records[]; };

void main() {
  PoseWork work = pose_item(kCurveEntries);
  if (!work.inside) return;
  palette[work.palette_first + work.record_index] = pose_spline_sample(records[work.record], work, work.item);
}
