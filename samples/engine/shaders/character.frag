// SPDX-License-Identifier: MIT
// Lights a character. While it fades between levels of detail, dithering divides the pixels between both.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lighting.glsl"
#include "wrinkles.glsl"

layout(location = 0) in vec3 world_position;
layout(location = 1) in vec3 world_normal;
layout(location = 2) in vec4 clip;
layout(location = 3) in vec4 previous_clip;
layout(location = 4) flat in vec3 color;
layout(location = 5) flat in vec2 kept;
layout(location = 6) in vec4 world_tangent;
layout(location = 7) in vec2 tension;
layout(location = 8) in vec3 rest_position;
layout(location = 0) out vec4 out_color;
layout(location = 1) out vec2 out_motion;

// Returns interleaved gradient noise (Jimenez 2014), in [0, 1).
float dither(vec2 pixel) { return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715)))); }

void main() {
  // Use the normal of the visible side, whichever way a triangle is wound: the inside of a mouth shows back faces, and
  // thinning may flip a small triangle.
  vec3 towards_eye = frame.eye - world_position;
  vec3 seen_side = cross(dFdx(world_position), dFdy(world_position));
  seen_side *= dot(seen_side, towards_eye) < 0.0 ? -1.0 : 1.0;
  vec3 normal = normalize(world_normal);
  normal *= dot(normal, seen_side) < 0.0 ? -1.0 : 1.0;
  vec3 tangent = normalize(world_tangent.xyz);
  vec3 bitangent = cross(normal, tangent) * world_tangent.w;
  normal = wrinkled(normal, tangent, bitangent, tension, rest_position, world_position);
  out_color = vec4(with_haze(lit(color, world_position, normal, 0.12), world_position), 1.0);
  out_motion = motion(clip, previous_clip);
  // Discard last: a discarded pixel gives its neighbours no derivatives.
  float value = dither(gl_FragCoord.xy);
  if (value < kept.x || value >= kept.y) discard;
}
