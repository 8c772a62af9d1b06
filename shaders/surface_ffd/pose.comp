// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "pose.h"
#include "../pose_pass.glsl"

layout(binding = kPoseBindRecords, scalar) readonly buffer Records { TriangleRecord records[]; };

void main() {
  PoseWork work = pose_work();
  if (!work.inside) return;
  TriangleRecord record = records[work.record];
  vec3 a = vertices[work.vertex_first + record.a];
  vec3 b = vertices[work.vertex_first + record.b];
  vec3 c = vertices[work.vertex_first + record.c];
  palette[work.palette_first + work.record_index] = pose_triangle(record, a, b, c);
}
