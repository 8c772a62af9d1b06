// SPDX-License-Identifier: MIT
// One thread an instance, between the two parts of the crowd's frame: lists the instances whose boxes are in view.
#version 460

layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly buffer Boxes { float boxes[]; };          // Crowd::outputs().bounds
layout(binding = 1, std430) readonly buffer Worlds { mat4 worlds[]; };         // model space -> world
layout(binding = 2, std430) buffer Drawn { uint drawn_count; uint drawn[]; };  // CrowdOptions::drawn

layout(push_constant, std430) uniform Constants {
  vec4 planes[4];  // of the view; positive inside
  uint instances;
};

// Returns the least corner of a box, or with `corner` 1 the greatest.
vec3 box_corner(uint box, uint corner) {
  uint at = 6u * box + 3u * corner;
  return vec3(boxes[at], boxes[at + 1u], boxes[at + 2u]);
}

void main() {
  uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64u + gl_LocalInvocationID.x;
  if (i >= instances) return;
  vec3 least = box_corner(i, 0u);
  vec3 greatest = box_corner(i, 1u);
  vec3 middle = (worlds[i] * vec4((least + greatest) * 0.5, 1.0)).xyz;
  vec3 reach = (greatest - least) * 0.5;
  mat3 axes = mat3(worlds[i]);
  for (uint p = 0u; p < 4u; ++p) {
    // How far the box reaches towards the inside.
    float farthest = dot(planes[p].xyz, middle) + planes[p].w + dot(abs(planes[p].xyz * axes), reach);
    if (farthest < 0.0) return;
  }
  drawn[atomicAdd(drawn_count, 1u)] = i;
}
