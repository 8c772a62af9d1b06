// SPDX-License-Identifier: MIT
// Edges as strips of a width in pixels: six vertices an edge, each reads both ends.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "bindings.glsl"
#include "vertices.glsl"

vec4 lifted(uint vertex) {
  vec3 position = world_position(draw.first_vertex + vertex);
  return current.clip_from_world * vec4(mix(position, frame.eye, draw.line_lift), 1.0);
}

void main() {
  const vec2 corners[6] = {vec2(0, -1), vec2(1, -1), vec2(1, 1), vec2(0, -1), vec2(1, 1), vec2(0, 1)};
  vec2 corner = corners[gl_VertexIndex % 6];
  uint edge = 2u * (gl_VertexIndex / 6);
  vec4 from = lifted(edges[edge]);
  vec4 to = lifted(edges[edge + 1u]);
  vec4 at = corner.x == 0.0 ? from : to;
  // An edge that passes behind the eye has no direction on the screen: it is left out.
  vec2 along = (to.xy * from.w - from.xy * to.w) * frame.size;
  bool visible = from.w > 0.0 && to.w > 0.0 && dot(along, along) > 0.0;
  vec2 across = visible ? normalize(vec2(-along.y, along.x)) : vec2(0.0);
  at.xy += across * corner.y * draw.line_width / frame.size * at.w;
  gl_Position = visible ? at : vec4(0.0, 0.0, -1.0, 1.0);
}
