// SPDX-License-Identifier: MIT
// A workgroup moves kBlendWorkgroupSize vertices of one instance: four slices, so that the influence words of
// neighbouring invocations are neighbours in memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "blend.h"

layout(local_size_x = kBlendWorkgroupSize) in;

layout(binding = kBlendBindJobs, scalar) readonly buffer Jobs { BlendJob jobs[]; };
layout(binding = kBlendBindPoints, scalar) readonly buffer Points { vec3 points[]; };
layout(binding = kBlendBindDirections, scalar) readonly buffer Directions { uvec2 directions[]; };
layout(binding = kBlendBindRows, scalar) readonly buffer Rows { uint rows[]; };
layout(binding = kBlendBindRows, scalar) readonly buffer LocalPoints { vec4 local_points[]; };  // in front of them
layout(binding = kBlendBindPalette, scalar) readonly buffer Palette { Affine palette[]; };
layout(binding = kBlendBindFrames, scalar) writeonly buffer Frames { Affine frames[]; };
layout(binding = kBlendBindPositions, scalar) writeonly buffer Positions { vec3 positions[]; };
layout(binding = kBlendBindNormals, scalar) writeonly buffer Normals { uvec2 normals[]; };

layout(push_constant, scalar) uniform Constants { JobRange range; };

#include "../find_job.glsl"

// sum w T of the row whose words are first, first + kSliceRows, ... before end.
Affine blend_affine(uint palette_first, uint first, uint end) {
  Affine sum = Affine(0.0f);
  for (uint at = first; at < end; at += kSliceRows) {
    uint word = rows[at];
    sum += influence_weight(word) * palette[palette_first + influence_index(word)];
  }
  return sum;
}

// The same row as dual quaternions, two entries a joint: the stretches blended, then moved by the blended rigid motion.
Affine blend_dual_quaternion(uint palette_first, uint first, uint end) {
  Affine strongest = palette[palette_first + influence_index(rows[first])];
  DualQuaternion pivot = DualQuaternion(strongest[0], strongest[1]);
  DualQuaternion sum = DualQuaternion(vec4(0.0f), vec4(0.0f));
  Affine stretch = Affine(0.0f);
  for (uint at = first; at < end; at += kSliceRows) {
    uint slot = palette_first + influence_index(rows[at]);
    float weight = influence_weight(rows[at]);
    Affine rigid = palette[slot];
    float signed_weight = dot(rigid[0], pivot.real) < 0.0f ? -weight : weight;
    sum.real += signed_weight * rigid[0];
    sum.dual += signed_weight * rigid[1];
    stretch += weight * palette[slot + 1u];
  }
  return affine_compose(rigid_from_dual_quaternion(sum, pivot), stretch);
}

// Where the slopes of a vertex are in `rows`: a slope each 2 kSliceRows words.
struct SlopeRange {
  uint at;
  uint end;
};

SlopeRange slope_range(BlendJob job, uint vertex) {
  if (job.first_slope_slice == kNoSlot) return SlopeRange(0u, 0u);
  uint slice = job.first_slope_slice + vertex / kSliceRows;
  return SlopeRange(job.first_slope + 2u * (rows[slice] + vertex % kSliceRows), job.first_slope + 2u * rows[slice + 1u]);
}

// The frame with the slopes of one group, at whose end it leaves the range.
Affine add_slopes(Affine frame, uint palette_first, vec3 point, inout SlopeRange range) {
  bool ended = false;
  for (; !ended && range.at < range.end; range.at += 2u * kSliceRows) {
    uvec2 words = uvec2(rows[range.at], rows[range.at + 1u]);
    uint slot = palette_first + slope_slot(words);
    frame = sloped_frame(frame, palette[slot], palette[slot + 1u], slope_gradient(words), point);
    ended = slope_ends_group(words);
  }
  return frame;
}

// The groups of a row, one a deformer, each with weights that sum to 65535, combined as in Wires.
Affine blend_wires(uint palette_first, uint first, uint end, SlopeRange slopes, vec3 point, Affine root,
                   float exponent) {
  WiresSum sum = wires_begin();
  Affine frame = Affine(0.0f);
  uint units = 0u;
  for (uint at = first; at < end; at += kSliceRows) {
    uint word = rows[at];
    frame += influence_weight(word) * palette[palette_first + influence_index(word)];
    units += influence_units(word);
    if (units < kWeightUnits) continue;
    frame = add_slopes(frame, palette_first, point, slopes);
    sum = wires_add(sum, frame, root, point, exponent);
    frame = Affine(0.0f);
    units = 0u;
  }
  return wires_frame(sum, point);
}

// The groups of a row, each with weights that sum to 65535 and a local point of its own. All slopes are of the first
// one. `local`: of that, in local_points; the next group's is `stride` further on. `strongest`: the first word of the
// group with the largest share.
Affine blend_offsets(uint palette_first, uint first, uint end, SlopeRange slopes, vec3 point, uint local, uint stride,
                     inout uint strongest) {
  OffsetsSum sum = offsets_begin();
  Affine frame = Affine(0.0f);
  uint units = 0u;
  uint leading = 0u;
  float largest = 0.0f;
  for (uint at = first; at < end; at += kSliceRows) {
    uint word = rows[at];
    if (units == 0u) leading = word;
    frame += influence_weight(word) * palette[palette_first + influence_index(word)];
    units += influence_units(word);
    if (units < kWeightUnits) continue;
    vec4 local_point = local_points[local];
    frame = add_slopes(frame, palette_first, local_point.xyz, slopes);
    sum = offsets_add(sum, frame, local_point);
    if (local_point.w > largest) {
      largest = local_point.w;
      strongest = leading;
    }
    local += stride;
    frame = Affine(0.0f);
    units = 0u;
  }
  return offsets_frame(sum, point);
}

void main() {
  uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  BlendJob job = jobs[find_job(workgroup)];
  uint block = (workgroup - job.first_workgroup) / job.instance_count;
  uint instance = (workgroup - job.first_workgroup) % job.instance_count;
  uint vertex = block * kBlendWorkgroupSize + gl_LocalInvocationID.x;
  if (vertex >= job.vertex_count) return;

  vec3 point = points[job.first_point + vertex];
  uvec2 direction = directions[job.first_point + vertex];
  uint slice = job.first_slice + vertex / kSliceRows;
  uint first = job.first_influence + rows[slice] + vertex % kSliceRows;
  uint end = job.first_influence + rows[slice + 1u];
  uint instance_palette = instance * job.palette_stride;
  uint palette_first = job.palette_first + instance_palette;

  SlopeRange slopes = slope_range(job, vertex);
  uint strongest_word = rows[first];

  Affine frame;
  if (job.mode == kBlendLinear) frame = blend_affine(palette_first, first, end);
  else if (job.mode == kBlendDualQuaternion) frame = blend_dual_quaternion(palette_first, first, end);
  else if (job.mode == kBlendWires) frame = blend_wires(palette_first, first, end, slopes, point,
                                                        palette[job.root_slot + instance_palette], job.wires_exponent);
  else frame = blend_offsets(palette_first, first, end, slopes, point, job.first_local + vertex, job.vertex_count,
                             strongest_word);
  vec3 position = transform_point(frame, point);
  if (job.mode == kBlendLinear) frame = add_slopes(frame, palette_first, point, slopes);
  if (job.offset_first != kNoSlot) {
    frame = offset_frame(frame, palette[job.offset_first + instance_palette + vertex][0].xyz);
    position = transform_point(frame, point);
  }
  Affine strongest = palette[palette_first + influence_index(strongest_word)];
  mat3 turn = job.mode == kBlendDualQuaternion ? rotation_from_quaternion(strongest[0])
                                               : orthonormal_axes(affine_axes(strongest));

  uint element = job.output_first + instance * job.output_stride + vertex;
  positions[element] = position;
  normals[element] = blended_directions(affine_axes(frame), direction, turn);
  if (job.frame_first != kNoSlot) frames[job.frame_first + instance_palette + vertex] = frame;
}
