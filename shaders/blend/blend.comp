// SPDX-License-Identifier: MIT
// A workgroup moves kBlendWorkgroupSize vertices of one instance, four slices, so neighbouring invocations read
// neighbouring influence words.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "blend.h"
#include "../morph/morph.h"

layout(local_size_x = kBlendWorkgroupSize) in;

layout(binding = kBindWork, std430) readonly buffer Jobs { BlendJob jobs[]; };
layout(binding = kBlendBindDrivers, std430) writeonly buffer Frames { Affine frames[]; };
layout(binding = kBlendBindDrivers, std430) writeonly buffer Drivers { float drivers[]; };
layout(binding = kBlendBindPositions, std430) buffer Positions { float positions[]; };
layout(binding = kBlendBindNormals, std430) writeonly buffer Normals { uint normals[]; };
layout(binding = kBlendBindNormals, std430) writeonly buffer Directions16 { uvec2 directions16[]; };
layout(binding = kBlendBindTangents, std430) writeonly buffer Tangents { uint tangents[]; };
layout(binding = kBlendBindPrevious, std430) writeonly buffer Previous { float previous[]; };

layout(push_constant, std430) uniform Constants { BlendConstants constants; };

layout(constant_id = kSpecPositionsFormat) const uint kPositionsFormat = kFormatNone;
layout(constant_id = kSpecPreviousFormat) const uint kPreviousFormat = kFormatNone;
layout(constant_id = kSpecContents) const uint kContents = 0u;

#include "inputs.glsl"
#include "../find_job.glsl"
#include "store_directions.glsl"
#include "row.glsl"
#include "linear.glsl"
#include "dual_quaternion.glsl"
#include "wires.glsl"
#include "offsets.glsl"
#include "rest.glsl"
#include "move.glsl"
#include "directions.glsl"
#include "outputs.glsl"

void main() {
  JobWork work = find_job(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, constants.range);
  BlendJob job = jobs[work.job];
  InstanceBlock found = block_of_tile(work, item_blocks(job.vertex_count, kBlendWorkgroupSize), job.by_blocks);
  if (!found.inside) return;
  ListEntry entry = list_entry(work, found.list_index);
  InstanceLocation place = instance_location(entry.instance);
  OutputBlock outputs = output_block(job, entry, place, found.block);
  uint vertex = found.block * kBlendWorkgroupSize + gl_LocalInvocationIndex;
  if (vertex < job.vertex_count && !outputs.held) {
    RestVertex rest = rest_vertex(job, vertex);
    RestVertex shape = shape_vertex(job, vertex, place.first_palette, rest);
    Moved moved = move_vertex(job, vertex, place.first_palette, entry.state, rest.point, shape.point);
    store_vertex(outputs, moved, shape.directions);
    store_driver(job, vertex, place, moved);
  }
  store_block(outputs);
}
