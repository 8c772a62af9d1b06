// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#include "normals.h"

layout(local_size_x = kNormalsWorkgroupSize) in;

layout(binding = kBindWork, std430) readonly buffer Jobs { NormalsJob jobs[]; };
layout(binding = kNormalsBindRings, std430) readonly buffer Rings { uint rings[]; };
layout(binding = kNormalsBindPositions, std430) readonly buffer Positions { float positions[]; };
layout(binding = kNormalsBindNormals, std430) buffer Normals { uint normals[]; };
layout(binding = kNormalsBindNormals, std430) buffer Directions16 { uvec2 directions16[]; };
layout(binding = kNormalsBindTangents, std430) buffer Tangents { uint tangents[]; };

layout(push_constant, std430) uniform Constants { NormalsConstants constants; };

#include "../blend/store_directions.glsl"
#include "../find_job.glsl"

vec3 load_position(uint element) {
  uint at = constants.positions.first + element * constants.positions.stride;
  return vec3(positions[at], positions[at + 1u], positions[at + 2u]);
}

vec3 load_normal(uint element) {
  uint at = constants.normals.first + element * constants.normals.stride;
  if (kNormalsFormat == kFormatOctahedral16Both) return unpack_normal(directions16[at / 2u].x);
  if (kNormalsFormat == kFormatOctahedral16) return unpack_normal(normals[at]);
  return uintBitsToFloat(uvec3(normals[at], normals[at + 1u], normals[at + 2u]));
}

vec4 load_tangent(uint element) {
  uint at = constants.normals.first + element * constants.normals.stride;
  if (kNormalsFormat == kFormatOctahedral16Both) return unpack_tangent(directions16[at / 2u].y);
  at = constants.tangents.first + element * constants.tangents.stride;
  if (kTangentsFormat == kFormatOctahedral16) return unpack_tangent(tangents[at]);
  return uintBitsToFloat(uvec4(tangents[at], tangents[at + 1u], tangents[at + 2u], tangents[at + 3u]));
}

// Sums the ring at `at`, round a vertex of the mesh whose vertex 0 is `first_element`.
RingSum sum_ring(uint at, uint first_element, uint vertex) {
  RingSum sum = ring_begin(load_position(first_element + vertex));
  uint word = 0u;
  while ((word & kRingLast) == 0u) {
    word = rings[at];
    sum = ring_add(sum, word, load_position(first_element + (word & kRingVertex)));
    ++at;
  }
  return sum;
}

void main() {
  JobWork work = find_job(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, constants.range);
  NormalsJob job = jobs[work.job];
  InstanceBlock found = block_of_tile(work, item_blocks(job.vertex_count, kNormalsWorkgroupSize), job.by_blocks);
  uint vertex = found.block * kNormalsWorkgroupSize + gl_LocalInvocationID.x;
  if (!found.inside || vertex >= job.vertex_count) return;
  ListEntry entry = list_entry(work, found.list_index);
  uint ring = rings[job.first_word + vertex];
  if ((entry.state & kEntryHold) != 0u || ring == kNoIndex) return;

  uint first_element = instance_location(entry.instance).first_vertex + job.output_first;
  RingSum sum = sum_ring(job.first_word + ring, first_element, vertex);
  if (!ring_has_normal(sum)) return;
  uint element = first_element + vertex;
  vec3 normal = ring_normal(sum, load_normal(element));
  vec4 tangent = vec4(0.0f, 0.0f, 1.0f, 1.0f);
  if (writes_tangents()) tangent = ring_tangent(load_tangent(element), normal);
  store_directions(element, normal, tangent);
}
