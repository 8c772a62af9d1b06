// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "scene.h"

layout(set = 1, binding = kBindPositions, scalar) readonly buffer Positions { float positions[]; };
layout(push_constant, scalar) uniform Constants { ShadowConstants draw; };

void main() {
  uint word = draw.first_word + 3u * gl_VertexIndex;
  vec4 at = draw.map_from_model * vec4(positions[word], positions[word + 1u], positions[word + 2u], 1.0);
  gl_Position = vec4(2.0 * at.xy - 1.0, at.z, 1.0);
}
