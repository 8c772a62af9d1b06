// SPDX-License-Identifier: MIT
// Reads vertices that compute wrote (pelt/runtime/crowd.h), for the instances of a draw. `vertex` counts from vertex 0
// of the drawn mesh.
#include "pelt/shaders/frame.h"
#include "pelt/shaders/octahedral.h"

layout(push_constant, scalar) uniform Constants { DrawConstants draw; };
layout(set = 0, binding = kBindWorlds, scalar) readonly buffer Worlds { Affine worlds[]; };
layout(set = 0, binding = kBindWeights, scalar) readonly buffer Weights { float weights[]; };
layout(set = 1, binding = kBindPositions, scalar) readonly buffer Positions { float positions[]; };
layout(set = 1, binding = kBindDirections, scalar) readonly buffer Directions { uint directions[]; };

vec3 world_position(uint vertex) {
  uint word = draw.first_word + 3u * (gl_InstanceIndex * draw.vertices + vertex);
  vec3 position = vec3(positions[word], positions[word + 1u], positions[word + 2u]);
  return transform_point(worlds[draw.first_world + gl_InstanceIndex], position);
}

vec3 world_normal(uint vertex) {
  uint packed = directions[draw.first_packed + 2u * (gl_InstanceIndex * draw.vertices + vertex)];
  mat3 axes = affine_axes(worlds[draw.first_world + gl_InstanceIndex]);
  return normalize_or(cofactor(axes) * unpack_normal(packed), vec3(0, 1, 0));
}

float vertex_weight(uint vertex) { return weights[draw.first_weight + vertex]; }
