// SPDX-License-Identifier: MIT
// One thread an instance, between the two parts of the crowd's frame: lists the instances whose boxes are in view.
#version 460
#extension GL_EXT_scalar_block_layout : require

layout(local_size_x = 64) in;
layout(binding = 0, scalar) readonly buffer Boxes { vec3 boxes[]; };           // Crowd::outputs().bounds
layout(binding = 1, scalar) readonly buffer Worlds { mat4 worlds[]; };         // model space -> world
layout(binding = 2, scalar) buffer Drawn { uint drawn_count; uint drawn[]; };  // CrowdOptions::drawn

layout(push_constant, scalar) uniform Constants {
  vec4 planes[4];  // of the view; positive inside
  uint instances;
};

void main() {
  uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64u + gl_LocalInvocationID.x;
  if (i >= instances) return;
  vec3 middle = (worlds[i] * vec4((boxes[2u * i] + boxes[2u * i + 1u]) * 0.5, 1.0)).xyz;
  vec3 reach = (boxes[2u * i + 1u] - boxes[2u * i]) * 0.5;
  mat3 axes = mat3(worlds[i]);
  for (uint p = 0u; p < 4u; ++p) {
    // How far the box reaches towards the inside.
    float farthest = dot(planes[p].xyz, middle) + planes[p].w + dot(abs(planes[p].xyz * axes), reach);
    if (farthest < 0.0) return;
  }
  drawn[atomicAdd(drawn_count, 1u)] = i;
}
