// SPDX-License-Identifier: MIT
// An invocation finds the tension of one vertex from the positions that the blend of skins wrote.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "tension.h"

layout(local_size_x = kTensionWorkgroupSize) in;

layout(binding = kBindWork, std430) readonly buffer Jobs { TensionJob jobs[]; };
layout(binding = kTensionBindRest, std430) readonly buffer Points { PackedVec3 points[]; };
layout(binding = kTensionBindRest, std430) readonly buffer Directions { uvec2 directions[]; };
layout(binding = kTensionBindRest, std430) readonly buffer Rings { uint rings[]; };
layout(binding = kTensionBindPositions, std430) readonly buffer Positions { float positions[]; };
layout(binding = kTensionBindOutput, std430) writeonly buffer Tension { uint tension[]; };

layout(push_constant, std430) uniform Constants { TensionConstants constants; };

#include "../find_job.glsl"

vec3 posed_position(uint element) {
  uint at = constants.positions.first + element * constants.positions.stride;
  return vec3(positions[at], positions[at + 1u], positions[at + 2u]);
}

void main() {
  JobWork work = find_job(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, constants.range);
  TensionJob job = jobs[work.job];
  InstanceBlock found = block_of_tile(work, item_blocks(job.vertex_count, kTensionWorkgroupSize), job.by_blocks);
  if (!found.inside) return;
  ListEntry entry = list_entry(work, found.list_index);
  uint vertex = found.block * kTensionWorkgroupSize + gl_LocalInvocationIndex;
  if (vertex >= job.vertex_count || (entry.state & kEntryHold) != 0u) return;
  uint first_element = instance_location(entry.instance).first_vertex + job.output_first;
  uint slice = job.first_slice + vertex / kSliceRows;
  uint end = job.first_ring + rings[slice + 1u];
  TensionSum sum = tension_begin(directions[job.first_direction + vertex]);
  for (uint at = job.first_ring + rings[slice] + vertex % kSliceRows; at < end; at += kSliceRows) {
    uint other = rings[at] & ~kRingCentre;
    vec3 rest = unpacked(points[job.first_point + other]);
    sum = tension_step(sum, rings[at], rest, posed_position(first_element + other));
  }
  tension[constants.tension.first + (first_element + vertex) * constants.tension.stride] = tension_word(sum);
}
