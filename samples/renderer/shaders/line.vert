// SPDX-License-Identifier: MIT
// Draws edges of meshes and the scene's own lines as strips with a width in pixels: six vertices each, which all read
// both ends. A line of zero length becomes a dot.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "bindings.glsl"
#include "color_ramp.h"
#include "vertices.glsl"

layout(set = 0, binding = kBindOverlays, scalar) readonly buffer Overlays { Overlay overlays[]; };
layout(set = 1, binding = kBindEdges, scalar) readonly buffer Edges { uint edges[]; };

layout(location = 0) out vec4 color;
layout(location = 1) out vec2 at_dot;  // from the dot's centre (0) to its rim (1); 0 on lines

struct Line {
  vec3 from;
  vec3 to;
  vec4 color;
  float width;
  bool is_dot;
  bool shown;
};

Line overlay_line(uint index) {
  Overlay overlay = overlays[index];
  bool shown = overlay.through != 0u || (draw.flags & kDrawHidden) == 0u;
  return Line(overlay.from, overlay.to, overlay.color * draw.color, overlay.width, overlay.from == overlay.to, shown);
}

Line edge_line(uint index) {
  uint start = edges[2u * index];
  uint end = edges[2u * index + 1u];
  bool heat = (draw.flags & kDrawHeat) != 0u;
  vec4 color = heat ? vec4(linear_from_srgb(color_ramp(vertex_weight(start))), 1.0) : draw.color;
  return Line(world_position(start), world_position(end), color, draw.line_width, start == end, true);
}

vec4 lifted(vec3 position) { return current.clip_from_world * vec4(mix(position, frame.eye, draw.line_lift), 1.0); }

void main() {
  const vec2 corners[6] = {vec2(0, -1), vec2(1, -1), vec2(1, 1), vec2(0, -1), vec2(1, 1), vec2(0, 1)};
  vec2 corner = corners[gl_VertexIndex % 6];
  uint index = gl_VertexIndex / 6;
  Line line;
  if ((draw.flags & kDrawOverlay) != 0u) {
    line = overlay_line(index);
  } else {
    line = edge_line(index);
  }
  vec4 from = lifted(line.from);
  vec4 to = lifted(line.to);
  vec4 at = corner.x == 0.0 ? from : to;
  // Leave out a line that crosses the eye's plane: it has no direction on the screen.
  vec2 along = (to.xy * from.w - from.xy * to.w) * frame.size;
  bool visible = line.shown && from.w > 0.0 && to.w > 0.0 && (line.is_dot || dot(along, along) > 0.0);
  at_dot = line.is_dot ? vec2(2.0 * corner.x - 1.0, corner.y) : vec2(0.0);
  vec2 across = line.is_dot ? at_dot : visible ? normalize(vec2(-along.y, along.x)) * corner.y : vec2(0.0);
  at.xy += across * line.width / frame.size * at.w;
  gl_Position = visible ? at : vec4(0.0, 0.0, -1.0, 1.0);
  color = line.color;
}
