// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../pose_pass.glsl"
#include "table_pose.h"

layout(binding = kPoseBindRecords, std430) readonly buffer Records { MosTableRecord records[]; };

void main() {
  PoseWork work = pose_item(kMosEntries);
  if (!work.inside) return;
  palette[work.palette_first + work.record_index] = pose_mos_sample(records[work.record], work, work.item);
}
