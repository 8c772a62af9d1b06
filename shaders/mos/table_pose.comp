// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "../pose_pass.glsl"
#include "table_pose.h"

layout(binding = kPoseBindRecords, scalar) readonly buffer Records { MosTableRecord records[]; };

void main() {
  PoseWork work = pose_item(kMosSlots);
  if (!work.inside) return;
  MosTableRecord record = records[work.record];
  palette[work.palette_first + work.record_index] =
      pose_mos_sample(record, posed_window(record, work), work, work.item);
}
