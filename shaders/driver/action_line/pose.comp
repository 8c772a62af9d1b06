// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../../pose_pass.glsl"
#include "pose.h"

layout(binding = kPoseBindRecords, std430) readonly buffer Records { ActionLineRecord records[]; };

void main() {
  PoseWork work = pose_work();
  if (!work.inside) return;
  ActionLineRecord record = records[work.record];
  ActionLine line = read_action_line(work, record.line);
  LineWalk walk = line_start(line);
  uint first = work.palette_first + work.record_index * kLineEntries;
  for (uint k = 0u; k < kLineEntries; ++k) {
    uint word = record.first_sample + k * kLineSampleWords;
    PosedLineSample place = line_place(line, line_shape(work, word));
    walk = line_walk(line, walk, place);
    palette[first + k] = affine_compose(line_frame(line, walk, place), line_rest_inverse(work, word));
  }
}
