// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../pose_pass.glsl"
#include "pose.h"

layout(binding = kPoseBindRecords, std430) readonly buffer Records { CurveRecord records[]; };

void main() {
  PoseWork work = pose_work();
  if (!work.inside) return;
  CurveRecord record = records[work.record];
  CurvePart part = curve_part(work, record.curve, record.bone);
  uint first = work.palette_first + work.record_index * kCurveEntries;
  for (uint k = 0u; k < kCurveEntries; ++k) palette[first + k] = pose_spline_sample(record, part, work, k);
}
