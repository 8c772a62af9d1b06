// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lighting.glsl"

layout(location = 0) in vec3 world_position;
layout(location = 1) in vec4 clip;
layout(location = 2) in vec4 previous_clip;
layout(location = 0) out vec4 out_color;
layout(location = 1) out vec2 out_motion;

void main() {
  // Slabs of stone, two metres wide, with joints that blur when they are finer than a pixel.
  vec2 slab = world_position.xz / 2.0;
  vec2 width = fwidth(slab);
  vec2 line = 1.0 - smoothstep(vec2(0.0), 0.012 + width, abs(fract(slab) - 0.5));
  line *= clamp(0.03 / width, 0.0, 1.0);
  vec3 albedo = vec3(0.42, 0.40, 0.37) * (1.0 - 0.35 * max(line.x, line.y));
  vec3 color = lit(albedo, world_position, vec3(0.0, 1.0, 0.0), 0.0);
  out_color = vec4(with_haze(color, world_position), 1.0);
  out_motion = motion(clip, previous_clip);
}
