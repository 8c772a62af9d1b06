// SPDX-License-Identifier: MIT
// Draws the ground as one square around the eye, a little beyond the haze.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindings.glsl"

layout(location = 0) out vec3 world_position;
layout(location = 1) out vec4 clip;
layout(location = 2) out vec4 previous_clip;

void main() {
  vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0;
  vec2 at = frame.eye.xz + corner * 1.1 * frame.haze.y;
  world_position = vec3(at.x, frame.ground, at.y);
  clip = frame.clip_from_world * vec4(world_position, 1.0);
  previous_clip = frame.previous_clip_from_world * vec4(world_position, 1.0);
  gl_Position = clip;
}
