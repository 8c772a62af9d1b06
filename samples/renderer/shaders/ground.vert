// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "bindings.glsl"

layout(location = 0) out vec3 position;

void main() {
  vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
  position = (frame.ground_from_unit * vec4(corner.x, 0.0, corner.y, 1.0)).xyz;
  gl_Position = current.clip_from_world * vec4(position, 1.0);
}
