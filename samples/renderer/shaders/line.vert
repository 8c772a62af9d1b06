// SPDX-License-Identifier: MIT
// Edges as strips of a width in pixels: six vertices an edge, each reads both ends. An edge from a vertex to itself is a
// dot as wide.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "bindings.glsl"
#include "color_ramp.h"
#include "vertices.glsl"

layout(location = 0) out vec4 color;
layout(location = 1) out vec2 at_dot;  // from its middle to its rim; 0 on lines

vec4 lifted(uint vertex) {
  vec3 position = world_position(draw.first_vertex + vertex);
  return current.clip_from_world * vec4(mix(position, frame.eye, draw.line_lift), 1.0);
}

void main() {
  const vec2 corners[6] = {vec2(0, -1), vec2(1, -1), vec2(1, 1), vec2(0, -1), vec2(1, 1), vec2(0, 1)};
  vec2 corner = corners[gl_VertexIndex % 6];
  uint edge = 2u * (gl_VertexIndex / 6);
  uint start = edges[edge];
  uint end = edges[edge + 1u];
  vec4 from = lifted(start);
  vec4 to = lifted(end);
  vec4 at = corner.x == 0.0 ? from : to;
  // An edge that passes behind the eye has no direction on the screen: it is left out.
  vec2 along = (to.xy * from.w - from.xy * to.w) * frame.size;
  bool is_dot = start == end;
  bool visible = from.w > 0.0 && to.w > 0.0 && (is_dot || dot(along, along) > 0.0);
  at_dot = is_dot ? vec2(2.0 * corner.x - 1.0, corner.y) : vec2(0.0);
  vec2 across = is_dot ? at_dot : visible ? normalize(vec2(-along.y, along.x)) * corner.y : vec2(0.0);
  at.xy += across * draw.line_width / frame.size * at.w;
  gl_Position = visible ? at : vec4(0.0, 0.0, -1.0, 1.0);
  bool heat = (draw.flags & kDrawHeat) != 0u;
  color = heat ? vec4(linear_from_srgb(color_ramp(weights[draw.first_vertex + start])), 1.0) : draw.color;
}
