// SPDX-License-Identifier: MIT
// A workgroup moves kBlendWorkgroupSize vertices of one instance: four slices, so that the influence words of
// neighbouring invocations are neighbours in memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "blend.h"
#include "../morph/morph.h"

layout(local_size_x = kBlendWorkgroupSize) in;

layout(binding = kBindWork, scalar) readonly buffer Jobs { BlendJob jobs[]; };
layout(binding = kBlendBindRest, scalar) readonly buffer LocalPoints { vec4 local_points[]; };
layout(binding = kBlendBindRest, scalar) readonly buffer Points { vec3 points[]; };
layout(binding = kBlendBindRest, scalar) readonly buffer Directions { uvec2 directions[]; };
layout(binding = kBlendBindRest, scalar) readonly buffer Rows { uint rows[]; };
layout(binding = kBlendBindPalette, scalar) readonly buffer Palette { Affine palette[]; };
layout(binding = kBlendBindPalette, scalar) readonly buffer Weights { float morph_weights[]; };
layout(binding = kBlendBindDrivers, scalar) writeonly buffer Frames { Affine frames[]; };
layout(binding = kBlendBindDrivers, scalar) writeonly buffer Drivers { float drivers[]; };
layout(binding = kBlendBindPositions, scalar) buffer Positions { float positions[]; };
layout(binding = kBlendBindNormals, scalar) writeonly buffer Normals { uint normals[]; };
layout(binding = kBlendBindNormals, scalar) writeonly buffer Directions16 { uvec2 directions16[]; };
layout(binding = kBlendBindTangents, scalar) writeonly buffer Tangents { uint tangents[]; };
layout(binding = kBlendBindPrevious, scalar) writeonly buffer Previous { float previous[]; };

layout(push_constant, scalar) uniform Constants { BlendConstants constants; };

layout(constant_id = kSpecPositionsFormat) const uint kPositionsFormat = kFormatNone;
layout(constant_id = kSpecPreviousFormat) const uint kPreviousFormat = kFormatNone;
layout(constant_id = kSpecContents) const uint kContents = 0u;

bool has(uint what) { return (kContents & what) != 0u; }

#include "../find_job.glsl"
#include "store_directions.glsl"
#include "row.glsl"
#include "linear.glsl"
#include "dual_quaternion.glsl"
#include "wires.glsl"
#include "offsets.glsl"
#include "rest.glsl"
#include "move.glsl"
#include "outputs.glsl"

void main() {
  JobWork work = find_job(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, constants.range);
  BlendJob job = jobs[work.job];
  InstanceBlock found = block_of_tile(work, item_blocks(job.vertex_count, kBlendWorkgroupSize));
  uint vertex = found.block * kBlendWorkgroupSize + gl_LocalInvocationID.x;
  if (!found.inside || vertex >= job.vertex_count) return;
  ListEntry entry = list_entry(job.list_first, found.list_place);
  uint element = job.output_first + entry.instance * job.output_stride + vertex;
  if ((entry.state & kEntryHold) != 0u) {
    hold_outputs(element);
    return;
  }

  uint instance_palette = entry.instance * job.palette_stride;
  RestVertex rest = RestVertex(points[job.first_point + vertex], uvec2(0u));
  if (has(kHasOutputs)) rest.directions = directions[job.first_direction + vertex];
  RestVertex shape = rest;
  if (is_morphed(job, instance_palette)) shape = morph_vertex(job, vertex, instance_palette, rest);
  Moved moved = move_instance(job, vertex, instance_palette, entry.state, rest.point, shape.point);

  if (has(kHasOutputs) && job.output_first != kNoSlot)
    write_outputs(element, entry.state, moved, shape.directions);
  if (!has(kHasDrivers)) return;
  if (job.driver_first != kNoSlot) {
    uint at = job.driver_first + entry.instance * job.driver_stride + 3u * vertex;
    drivers[at] = moved.position.x;
    drivers[at + 1u] = moved.position.y;
    drivers[at + 2u] = moved.position.z;
  }
  if (job.frame_first != kNoSlot) frames[job.frame_first + instance_palette + vertex] = moved.frame;
}
