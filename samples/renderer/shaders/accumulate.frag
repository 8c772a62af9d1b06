// SPDX-License-Identifier: MIT
// Outputs a sample; the pipeline's blending adds it to the sum.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "bindings.glsl"

layout(set = 0, binding = kBindColor) uniform sampler2D sample_color;
layout(location = 0) out vec4 color;

void main() { color = texelFetch(sample_color, ivec2(gl_FragCoord.xy), 0) * frame.sample_weight; }
