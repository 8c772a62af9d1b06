// SPDX-License-Identifier: MIT
// Reads and writes the bytes of a blend but computes nothing: the limit that memory sets. A workgroup takes 128
// neighbouring vertices of one instance, and all instances read the same source, as in shaders/blend/blend.comp.
// Accesses have 16 bytes; their number is a constant of the pipeline.
#version 460

const uint kVertices = 128;
layout(local_size_x = kVertices) in;

layout(constant_id = 0) const uint kWordsIn = 4;  // per vertex
layout(constant_id = 1) const uint kWordsOut = 4;

layout(binding = 0, std430) readonly buffer Source { uvec4 source[]; };
layout(binding = 1, std430) writeonly buffer Target { uvec4 target[]; };

layout(push_constant, std430) uniform Constants {
  uint blocks;  // of 128 vertices
  uint instances;
};

void main() {
  uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  uint block = workgroup / instances;
  uint instance = workgroup % instances;
  if (block >= blocks) return;
  const uint quads_in = kVertices / 4 * kWordsIn;
  const uint quads_out = kVertices / 4 * kWordsOut;
  uvec4 sum = uvec4(0);
  for (uint i = gl_LocalInvocationID.x; i < quads_in; i += kVertices) sum ^= source[block * quads_in + i];
  for (uint i = gl_LocalInvocationID.x; i < quads_out; i += kVertices) {
    target[(instance * blocks + block) * quads_out + i] = sum + i;
  }
}
