// SPDX-License-Identifier: MIT
// An invocation moves the three vertices of an anchor of one instance, by the code of the blend.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "anchor.h"
#include "../morph/morph.h"

layout(local_size_x = kAnchorWorkgroupSize) in;

layout(binding = kBindWork, std430) readonly buffer Jobs { AnchorJob jobs[]; };
layout(binding = kBlendBindRest, std430) readonly buffer Records { SkinAnchorRecord records[]; };
layout(binding = kAnchorBindFrames, std430) writeonly buffer Frames { float frames[]; };

layout(push_constant, std430) uniform Constants { AnchorConstants constants; };

layout(constant_id = kAnchorSpecContents) const uint kContents = 0u;

#include "../blend/inputs.glsl"
#include "../find_job.glsl"
#include "../blend/row.glsl"
#include "../blend/linear.glsl"
#include "../blend/dual_quaternion.glsl"
#include "../blend/wires.glsl"
#include "../blend/offsets.glsl"
#include "../blend/rest.glsl"
#include "../blend/move.glsl"

AnchorVertex anchor_vertex(BlendJob skin, uint vertex, uint instance_palette, uint state) {
  RestVertex rest = rest_vertex(skin, vertex);
  RestVertex shape = shape_vertex(skin, vertex, instance_palette, rest);
  Moved moved = move_vertex(skin, vertex, instance_palette, state, rest.point, shape.point);
  if (defers_derivative()) {
    moved.frame = frame_with_derivative(moved.frame, moved.derivative, moved.unit, tangent_basis(rest.directions.x),
                                        shape.point);
  }
  mat3 axes = affine_axes(moved.frame);
  mat3 turn = strongest_turn(moved);
  AnchorVertex made;
  made.position = moved.position;
  made.normal = blended_normal(axes, unpack_normal(shape.directions.x) * moved.mirror, turn);
  made.tangent = blended_tangent(axes, unpack_tangent(shape.directions.y).xyz, made.normal, turn);
  return made;
}

void main() {
  JobWork work = find_job(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, constants.range);
  AnchorJob job = jobs[work.job];
  InstanceBlock found = block_of_all(work);
  uint anchor = found.block * kAnchorWorkgroupSize + gl_LocalInvocationIndex;
  if (!found.inside || anchor >= job.anchor_count) return;
  ListEntry entry = list_entry(work, found.list_index);
  if ((entry.state & kEntryHold) != 0u) return;
  InstanceLocation place = instance_location(entry.instance);
  SkinAnchorRecord record = records[job.first_record + anchor];
  // One loop for the large code, without an array, which would not stay in registers.
  AnchorVertex a, b, c;
  for (uint i = 0u; i < 3u; ++i) {
    uint vertex = i == 0u ? record.first : i == 1u ? record.second : record.third;
    c = anchor_vertex(job.skin, vertex, place.first_palette, entry.state);
    if (i == 0u) a = c;
    if (i == 1u) b = c;
  }
  Affine frame = anchor_frame(record, a, b, c);
  uint at = constants.frames.first + (place.first_anchor + job.first_anchor + anchor) * constants.frames.stride;
  for (uint i = 0u; i < 12u; ++i) frames[at + i] = frame[i / 4u][i % 4u];
}
