// SPDX-License-Identifier: MIT
// Draws the crowd's vertices, with their current and previous positions.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindings.glsl"
#include "pelt/shaders/jobs.h"
#include "pelt/shaders/octahedral.h"

layout(set = 0, binding = kBindTable, scalar) readonly buffer Table { InstanceLocation table[]; };

layout(location = 0) in vec3 position;  // CrowdOutputs::positions
layout(location = 1) in uint packed_normal;
layout(location = 2) in vec3 previous_position;  // undefined if the instance or its level has just appeared

layout(location = 0) out vec3 world_position;
layout(location = 1) out vec3 world_normal;
layout(location = 2) out vec4 clip;
layout(location = 3) out vec4 previous_clip;
layout(location = 4) flat out vec3 color;
layout(location = 5) flat out vec2 kept;  // pixels with dither values from x to y are drawn

void main() {
  WalkerRecord walker = walkers[gl_InstanceIndex >> 1];
  world_position = transform_point(walker.world, position);
  world_normal = cofactor(affine_axes(walker.world)) * unpack_normal(packed_normal);
  clip = frame.clip_from_world * vec4(world_position, 1.0);
  uint level = (gl_InstanceIndex & 1) == 1 ? walker.to : walker.from;
  bool appears = entry_appears(table[gl_InstanceIndex >> 1].state, level, level);
  vec3 before = appears ? position : previous_position;
  previous_clip = frame.previous_clip_from_world * vec4(transform_point(walker.previous_world, before), 1.0);
  color = walker.color;
  kept = (gl_InstanceIndex & 1) == 1 ? vec2(0.0, walker.share) : vec2(walker.share, 1.0);
  gl_Position = clip;
}
