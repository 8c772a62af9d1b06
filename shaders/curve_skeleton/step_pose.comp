// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../pose_pass.glsl"
#include "step_pose.h"

layout(binding = kPoseBindRecords, std430) readonly buffer Records { CurveStepRecord records[]; };

void main() {
  PoseWork work = pose_work();
  if (!work.inside) return;
  CurveStepEntries posed = pose_curve_step(records[work.record], work);
  uint first = work.palette_first + work.record_index * kCurveStepEntries;
  for (uint k = 0u; k < kCurveStepEntries; ++k) palette[first + k] = posed.entries[k];
}
