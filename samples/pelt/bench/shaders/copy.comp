// SPDX-License-Identifier: MIT
// Reads and writes the bytes of a blend and computes nothing, which shows the limit that memory sets. A workgroup takes
// 128 neighbouring vertices of one instance, and all instances read the same source, as in shaders/blend/blend.comp.
#version 460
#extension GL_EXT_scalar_block_layout : require

const uint kVertices = 128;
layout(local_size_x = kVertices) in;

layout(binding = 0, scalar) readonly buffer Source { uint source[]; };
layout(binding = 1, scalar) writeonly buffer Target { uint target[]; };

layout(push_constant, scalar) uniform Constants {
  uint blocks;     // of 128 vertices
  uint instances;
  uint words_in;   // a vertex
  uint words_out;
};

void main() {
  uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  uint block = workgroup / instances;
  uint instance = workgroup % instances;
  if (block >= blocks) return;
  uint lane = gl_LocalInvocationID.x;
  uint sum = 0;
  for (uint i = 0; i < words_in; ++i) sum ^= source[(block * words_in + i) * kVertices + lane];
  for (uint i = 0; i < words_out; ++i) {
    target[((instance * blocks + block) * words_out + i) * kVertices + lane] = sum + i;
  }
}
