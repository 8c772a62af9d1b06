// SPDX-License-Identifier: MIT
// Composites the mean of all samples over the backdrop, tone mapped, in sRGB.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "color_ramp.h"
#include "bindings.glsl"

layout(push_constant, scalar) uniform Constants { DevelopConstants develop; };
layout(set = 0, binding = kBindColor) uniform sampler2D mean;
layout(location = 0) out vec4 color;

const float kExposure = 0.70;

// Maps light to [0, 1] by a fit of the film curve of the Academy Color Encoding System (Narkowicz 2015).
vec3 film(vec3 c) { return clamp(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0); }

// Returns the backdrop of a pixel: bright in the centre, darker towards the corners.
vec3 backdrop(vec2 pixel) {
  vec2 at = pixel / frame.size - vec2(0.5, 0.46);
  float falloff = smoothstep(0.0, 0.85, length(at * vec2(1.0, 0.9)));
  return mix(vec3(0.62, 0.63, 0.65), vec3(0.25, 0.26, 0.285), falloff);
}

void main() {
  vec4 drawn = texelFetch(mean, ivec2(gl_FragCoord.xy), 0) * develop.mean_from_sum;
  vec3 light = drawn.rgb + (1.0 - drawn.a) * backdrop(gl_FragCoord.xy);
  vec3 srgb = srgb_from_linear(film(max(light, 0.0) * kExposure));
  bool split = abs(gl_FragCoord.x - develop.split) < develop.split_width;
  srgb = mix(srgb, vec3(0.93), split ? 0.85 : 0.0);
  // Ordered dithering by up to half a step (Bayer 1973) hides the steps of 8 bits in the backdrop and compresses well.
  uvec2 at = uvec2(gl_FragCoord.xy);
  uint low = at.x ^ at.y;
  uint rank = (low & 1u) << 3 | (at.y & 1u) << 2 | (low & 2u) | (at.y & 2u) >> 1;
  color = vec4(srgb + ((float(rank) + 0.5) / 16.0 - 0.5) / 255.0, 1.0);
}
