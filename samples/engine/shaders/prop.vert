// SPDX-License-Identifier: MIT
// Draws solids at the anchors of the instances that the frame shows. Motion is that of the walker as a whole.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bindings.glsl"
#include "pelt/shaders/crowd_table.h"

layout(set = 0, binding = kBindTable, scalar) readonly buffer Table { TableHeader header; InstanceLocation instances[]; };
layout(set = 0, binding = kBindAnchors, scalar) readonly buffer Anchors { Affine anchors[]; };
layout(set = 0, binding = kBindProps, scalar) readonly buffer Props { PropRecord props[]; };

layout(location = 0) out vec3 world_position;
layout(location = 1) out vec3 world_normal;
layout(location = 2) out vec4 clip;
layout(location = 3) out vec4 previous_clip;
layout(location = 4) flat out vec3 color;
layout(location = 5) flat out vec2 kept;
layout(location = 6) out vec4 world_tangent;
layout(location = 7) out vec2 tension;
layout(location = 8) out vec3 rest_position;

// The corners of a side and of both ends of a tapered cylinder: angle in sides, distance along z, share of the radius.
const vec3 kCorners[12] = vec3[](vec3(0, 0, 1), vec3(1, 0, 1), vec3(1, 1, 1), vec3(0, 0, 1), vec3(1, 1, 1), vec3(0, 1, 1),
                                 vec3(0, 0, 1), vec3(0, 0, 0), vec3(1, 0, 1), vec3(0, 1, 1), vec3(1, 1, 1), vec3(0, 1, 0));

void main() {
  uint i = uint(gl_InstanceIndex / props.length());
  PropRecord prop = props[gl_InstanceIndex % props.length()];
  InstanceLocation instance = instances[i];
  if (instance.state == kNoIndex || prop.anchor >= instance.anchor_count) {
    gl_Position = vec4(0.0, 0.0, -1.0, 1.0);
    return;
  }
  vec3 corner = kCorners[gl_VertexIndex % 12];
  float angle = 6.2831853 * (float(gl_VertexIndex / 12) + corner.x) / float(kPropSides);
  vec2 way = vec2(cos(angle), sin(angle));
  vec2 radius = prop.radius * corner.z * mix(1.0, prop.taper, corner.y);
  vec3 normal = gl_VertexIndex % 12 < 6 ? vec3(way * prop.radius.yx, 0.0) : vec3(0.0, 0.0, corner.y * 2.0 - 1.0);

  WalkerRecord walker = walkers[i];
  Affine anchor = anchors[instance.first_anchor + prop.anchor];
  vec3 at = transform_point(anchor, transform_point(prop.anchor_from_prop, vec3(way * radius, prop.height * corner.y)));
  mat3 turn = affine_axes(walker.world) * affine_axes(anchor) * affine_axes(prop.anchor_from_prop);
  world_position = transform_point(walker.world, at);
  world_normal = turn * normal;
  clip = frame.clip_from_world * vec4(world_position, 1.0);
  previous_clip = frame.previous_clip_from_world * vec4(transform_point(walker.previous_world, at), 1.0);
  color = prop.color;
  kept = vec2(0.0, 1.0);
  world_tangent = vec4(1.0, 0.0, 0.0, 1.0);
  tension = vec2(0.0);  // no wrinkles
  rest_position = vec3(0.0);
  gl_Position = clip;
}
