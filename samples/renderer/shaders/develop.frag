// SPDX-License-Identifier: MIT
// The mean of all samples, tone mapped, in sRGB.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "color_ramp.h"
#include "bindings.glsl"

layout(set = 0, binding = kBindColor) uniform sampler2D mean;
layout(location = 0) out vec4 color;

const float kExposure = 0.70;

// A fit of the film curve of the Academy Color Encoding System (Narkowicz 2015).
vec3 film(vec3 c) { return clamp(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0); }

void main() {
  vec3 srgb = srgb_from_linear(film(max(texelFetch(mean, ivec2(gl_FragCoord.xy), 0).rgb, 0.0) * kExposure));
  // Half a step of noise hides the steps of 8 bits in the backdrop.
  float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
  color = vec4(srgb + noise / 255.0, 1.0);
}
