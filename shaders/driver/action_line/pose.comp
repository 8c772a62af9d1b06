// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../../pose_pass.glsl"
#include "pose.h"

layout(binding = kPoseBindRecords, std430) readonly buffer Records { ActionLineRecord records[]; };

void main() {
  PoseWork work = pose_item(kLineEntries);
  if (!work.inside) return;
  ActionLineRecord record = records[work.record];
  ActionLine line = read_action_line(work, record.line);
  uint word = record.first_sample + work.item * kLineSampleWords;
  PosedLineSample place = line_place(line, line_shape(work, word), line_wring(line));
  LineWalk walk = line_walk(line, line_start(line), place);
  palette[work.palette_first + work.record_index] =
      affine_compose(line_frame(line, walk, place), line_rest_inverse(work, word));
}
