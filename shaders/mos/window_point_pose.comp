// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../pose_pass.glsl"
#include "point_pose.h"

layout(binding = kPoseBindRecords, std430) readonly buffer Records { MosPointRecord records[]; };

void main() {
  PoseWork work = pose_work();
  if (!work.inside) return;
  MosEntries point = pose_window_point(records[work.record], work);
  uint first = work.palette_first + work.record_index * kMosPointEntries;
  palette[first] = point.still;
  palette[first + 1u] = point.cosine;
  palette[first + 2u] = point.sine;
}
