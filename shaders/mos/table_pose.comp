// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "../pose_pass.glsl"
#include "table_pose.h"

layout(binding = kPoseBindRecords, scalar) readonly buffer Records { MosTableRecord records[]; };

void main() {
  PoseWork work = pose_work();
  if (!work.inside) return;
  MosTableRecord record = records[work.record];
  MosWindow window = pose_mos_window(record, work);
  uint first = work.palette_first + work.record_index * kMosSlots;
  for (uint k = 0u; k < kMosSlots; ++k) palette[first + k] = pose_mos_sample(record, window, work, k);
}
