// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../pose_pass.glsl"
#include "pose.h"

layout(binding = kPoseBindRecords, std430) readonly buffer Records { AnchorRecord records[]; };

void main() {
  PoseWork work = pose_work();
  if (!work.inside) return;
  AnchorEntries posed = pose_anchors(records[work.record], work);
  uint first = work.palette_first + work.record_index * kAnchorBlock;
  for (uint k = 0u; k < kAnchorBlock; ++k) palette[first + k] = posed.entries[k];
}
