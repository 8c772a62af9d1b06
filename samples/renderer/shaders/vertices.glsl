// SPDX-License-Identifier: MIT
// Vertices as compute left them (runtime/crowd.h, VertexLayout).
#include "frame.h"
#include "octahedral.h"

layout(set = 1, binding = kBindPositions, scalar) readonly buffer Positions { float positions[]; };
layout(set = 1, binding = kBindDirections, scalar) readonly buffer Directions { uint directions[]; };
layout(set = 1, binding = kBindWeights, scalar) readonly buffer Weights { float weights[]; };

layout(set = 1, binding = kBindEdges, scalar) readonly buffer Edges { uint edges[]; };

vec3 world_position(uint vertex) {
  uint word = draw.first_word + 3u * vertex;
  return transform_point(draw.world, vec3(positions[word], positions[word + 1u], positions[word + 2u]));
}

vec3 world_normal(uint vertex) {
  vec3 normal = unpack_normal(directions[draw.first_packed + 2u * vertex]);
  return normalize_or(cofactor(affine_axes(draw.world)) * normal, vec3(0, 1, 0));
}
