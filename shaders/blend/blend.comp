// SPDX-License-Identifier: MIT
// A workgroup moves kBlendWorkgroupSize vertices of one instance: four slices, so that the influence words of
// neighbouring invocations are neighbours in memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "blend.h"

layout(local_size_x = kBlendWorkgroupSize) in;

layout(binding = kBindWork, scalar) readonly buffer Jobs { BlendJob jobs[]; };
layout(binding = kBlendBindRest, scalar) readonly buffer LocalPoints { vec4 local_points[]; };
layout(binding = kBlendBindRest, scalar) readonly buffer Points { vec3 points[]; };
layout(binding = kBlendBindRest, scalar) readonly buffer Directions { uvec2 directions[]; };
layout(binding = kBlendBindRest, scalar) readonly buffer Rows { uint rows[]; };
layout(binding = kBlendBindPalette, scalar) readonly buffer Palette { Affine palette[]; };
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
  if (!has(kHasSlopes) || job.first_slope_slice == kNoSlot) return SlopeRange(0u, 0u);
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

// The same row, of its `most` first influences alone, which are its strongest.
Affine blend_reduced(uint palette_first, uint first, uint end, uint most) {
  Affine sum = Affine(0.0f);
  uint units = 0u;
  end = min(end, first + most * kSliceRows);
  for (uint at = first; at < end; at += kSliceRows) {
    uint word = rows[at];
    sum += float(influence_units(word)) * palette[palette_first + influence_index(word)];
    units += influence_units(word);
  }
  return sum * (1.0f / float(max(units, 1u)));
}

// The frame of a vertex, where it moves the vertex, and a rotation near the one of its strongest influence.
struct Moved {
  Affine frame;
  vec3 position;
  mat3 turn;
};

Moved move_vertex(BlendJob job, uint vertex, uint instance_palette, uint detail, vec3 point) {
  bool fitted = has(kHasFits) && detail == kDetailLinearFit && job.fit_first_slice != kNoSlot;
  uint mode = fitted ? kBlendLinear : job.mode;
  uint slice = (fitted ? job.fit_first_slice : job.first_slice) + vertex / kSliceRows;
  uint first_influence = fitted ? job.fit_first_influence : job.first_influence;
  uint first = first_influence + rows[slice] + vertex % kSliceRows;
  uint end = first_influence + rows[slice + 1u];
  uint palette_first = (fitted ? job.fit_palette_first : job.palette_first) + instance_palette;
  SlopeRange slopes = SlopeRange(0u, 0u);
  if (!fitted) slopes = slope_range(job, vertex);
  uint strongest_word = rows[first];

  Moved moved;
  moved.frame = Affine(0.0f);
  if (has(kHasLinear) && mode == kBlendLinear && detail == kDetailReduced) {
    moved.frame = blend_reduced(palette_first, first, end, constants.reduced_influences);
    slopes.at = slopes.end;
  } else if (has(kHasLinear) && mode == kBlendLinear) {
    moved.frame = blend_affine(palette_first, first, end);
  } else if (has(kHasDualQuaternion) && mode == kBlendDualQuaternion) {
    moved.frame = blend_dual_quaternion(palette_first, first, end);
  } else if (has(kHasWires) && mode == kBlendWires) {
    moved.frame = blend_wires(palette_first, first, end, slopes, point, palette[job.root_slot + instance_palette],
                              job.wires_exponent);
  } else if (has(kHasOffsets)) {
    moved.frame = blend_offsets(palette_first, first, end, slopes, point, job.first_local + vertex, job.vertex_count,
                                strongest_word);
  }
  moved.position = transform_point(moved.frame, point);
  if (has(kHasSlopes) && mode == kBlendLinear) moved.frame = add_slopes(moved.frame, palette_first, point, slopes);
  if (has(kHasKeyPoses) && job.offset_first != kNoSlot) {
    moved.frame = offset_frame(moved.frame, palette[job.offset_first + instance_palette + vertex][0].xyz);
    moved.position = transform_point(moved.frame, point);
  }
  Affine strongest = palette[palette_first + influence_index(strongest_word)];
  if (has(kHasDualQuaternion) && mode == kBlendDualQuaternion) {
    moved.turn = rotation_from_quaternion(strongest[0]);
  } else {
    moved.turn = orthonormal_axes(affine_axes(strongest));
  }
  return moved;
}

void write_point(uint at, vec3 point) {
  positions[at] = point.x;
  positions[at + 1u] = point.y;
  positions[at + 2u] = point.z;
}

void write_previous(uint at, vec3 point) {
  previous[at] = point.x;
  previous[at + 1u] = point.y;
  previous[at + 2u] = point.z;
}

void write_directions(uint element, mat3 axes, mat3 turn, uvec2 rest) {
  if (kNormalsFormat == kFormatNone && kTangentsFormat == kFormatNone) return;
  vec4 rest_tangent = unpack_tangent(rest.y);
  vec3 normal = blended_normal(axes, unpack_normal(rest.x), turn);
  vec4 tangent = vec4(0.0f, 0.0f, 1.0f, 1.0f);
  if (writes_tangents()) tangent = vec4(blended_tangent(axes, rest_tangent.xyz, normal, turn), rest_tangent.w);
  store_directions(element, normal, tangent);
}

void write_outputs(uint element, uint state, Moved moved, uvec2 rest) {
  uint at = constants.positions.first + element * constants.positions.stride;
  if (kPreviousFormat != kFormatNone) {
    bool teleport = (state & kEntryTeleport) != 0u;
    vec3 before = teleport ? moved.position : vec3(positions[at], positions[at + 1u], positions[at + 2u]);
    write_previous(constants.previous.first + element * constants.previous.stride, before);
  }
  if (kPositionsFormat != kFormatNone) write_point(at, moved.position);
  write_directions(element, affine_axes(moved.frame), moved.turn, rest);
}

// Of an instance that stays as it is.
void hold_outputs(uint element) {
  if (kPreviousFormat == kFormatNone) return;
  uint at = constants.positions.first + element * constants.positions.stride;
  write_previous(constants.previous.first + element * constants.previous.stride,
                 vec3(positions[at], positions[at + 1u], positions[at + 2u]));
}

void main() {
  JobWork found = find_job(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, constants.range);
  BlendJob job = jobs[found.job];
  uint vertex = found.block * kBlendWorkgroupSize + gl_LocalInvocationID.x;
  if (!found.inside || vertex >= job.vertex_count) return;
  ListEntry entry = list_entry(job.list_first, found.list_place);
  uint element = job.output_first + entry.instance * job.output_stride + vertex;
  if ((entry.state & kEntryHold) != 0u) {
    hold_outputs(element);
    return;
  }

  vec3 point = points[job.first_point + vertex];
  uint instance_palette = entry.instance * job.palette_stride;
  // Once, or twice where it fades, by the same code: inlined twice, the registers would be those of both.
  uint share = entry_share(entry.state);
  float part = float(share) * (1.0f / 255.0f);
  bool fades = share > 0u && share < 255u && entry_detail_from(entry.state) != entry_detail_to(entry.state);
  Moved moved;
  for (uint side = 0u; side < (fades ? 2u : 1u); ++side) {
    bool to = fades ? side == 1u : share == 255u;
    Moved own = move_vertex(job, vertex, instance_palette,
                            to ? entry_detail_to(entry.state) : entry_detail_from(entry.state), point);
    if (side == 0u) {
      moved = own;
    } else {
      moved.frame = moved.frame * (1.0f - part) + own.frame * part;
      moved.position = mix(moved.position, own.position, part);
    }
  }

  if (has(kHasOutputs) && job.output_first != kNoSlot)
    write_outputs(element, entry.state, moved, directions[job.first_direction + vertex]);
  if (!has(kHasDrivers)) return;
  if (job.driver_first != kNoSlot) {
    uint at = job.driver_first + entry.instance * job.driver_stride + 3u * vertex;
    drivers[at] = moved.position.x;
    drivers[at + 1u] = moved.position.y;
    drivers[at + 2u] = moved.position.z;
  }
  if (job.frame_first != kNoSlot) frames[job.frame_first + instance_palette + vertex] = moved.frame;
}
