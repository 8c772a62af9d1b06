// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "bindings.glsl"
#include "vertices.glsl"

layout(set = 1, binding = kBindUvs, scalar) readonly buffer Uvs { vec2 uvs[]; };
layout(set = 1, binding = kBindColors, scalar) readonly buffer Colors { vec4 colors[]; };

layout(location = 0) out vec3 position;
layout(location = 1) out vec3 normal;
layout(location = 2) out float weight;
layout(location = 3) out vec2 uv;
layout(location = 4) out vec4 vertex_color;

void main() {
  position = world_position(gl_VertexIndex);
  normal = world_normal(gl_VertexIndex);
  weight = (draw.flags & kDrawHeat) != 0u ? vertex_weight(gl_VertexIndex) : 0.0;
  uv = (draw.flags & kDrawTexture) != 0u ? uvs[draw.first_uv + gl_VertexIndex] : vec2(0.0);
  vertex_color = (draw.flags & kDrawColors) != 0u ? colors[draw.first_uv + gl_VertexIndex] : vec4(1.0);
  gl_Position = current.clip_from_world * vec4(position, 1.0);
}
