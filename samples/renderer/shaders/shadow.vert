// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "bindings.glsl"
#include "vertices.glsl"

void main() {
  vec4 at = current.maps[draw.map].map_from_world * vec4(world_position(gl_VertexIndex), 1.0);
  gl_Position = vec4(2.0 * at.xy - 1.0, at.z, 1.0);
}
