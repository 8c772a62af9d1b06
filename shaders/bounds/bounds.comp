// SPDX-License-Identifier: MIT
// A workgroup finds the box of one instance.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "bounds.h"

layout(local_size_x = kBoundsWorkgroupSize) in;

layout(binding = kBindWork, scalar) readonly buffer Jobs { BoundsJob jobs[]; };
layout(binding = kBoundsBindRecords, scalar) readonly buffer Records { BoundsRecord records[]; };
layout(binding = kBoundsBindPalette, scalar) readonly buffer Palette { Affine palette[]; };
layout(binding = kBoundsBindBoxes, scalar) writeonly buffer Boxes { float boxes[]; };

layout(push_constant, scalar) uniform Constants { BoundsConstants constants; };

#include "../find_job.glsl"

shared vec3 leasts[kBoundsWorkgroupSize];
shared vec3 greatests[kBoundsWorkgroupSize];

struct Box {
  vec3 least;
  vec3 greatest;
};

// The box of a dual quaternion pair: corners are stretched by both stretches and moved by both rigid motions.
Box pair_box(BoundsRecord record, uint palette_first) {
  Box box = Box(vec3(3e38f), vec3(-3e38f));
  Affine rigid[2];
  Affine stretch[2];
  for (uint k = 0u; k < 2u; ++k) {
    uint slot = palette_first + (k == 0u ? record.slot : record.other);
    DualQuaternion motion = DualQuaternion(palette[slot][0], palette[slot][1]);
    rigid[k] = rigid_from_dual_quaternion(motion, motion);
    stretch[k] = palette[slot + 1u];
  }
  float apart = 0.0f;
  for (uint i = 0u; i < 16u; ++i) {
    vec3 corner = transform_point(stretch[i & 1u], box_corner(record.least, record.greatest, i >> 1u));
    vec3 a = transform_point(rigid[0], corner);
    vec3 b = transform_point(rigid[1], corner);
    apart = max(apart, distance(a, b));
    box.least = min(box.least, min(a, b));
    box.greatest = max(box.greatest, max(a, b));
  }
  box.least -= vec3(record.grow * apart);
  box.greatest += vec3(record.grow * apart);
  return box;
}

Box entry_box(BoundsRecord record, uint palette_first) {
  Affine frame = palette[palette_first + record.slot];
  vec3 middle = transform_point(frame, 0.5f * (record.least + record.greatest));
  vec3 reach = 0.5f * (record.greatest - record.least);
  vec3 extent = vec3(dot(abs(frame[0].xyz), reach), dot(abs(frame[1].xyz), reach), dot(abs(frame[2].xyz), reach));
  return Box(middle - extent, middle + extent);
}

// Widens the record's box by what the instance's morph targets can add.
BoundsRecord with_morphs(BoundsRecord record, uint palette_first) {
  float largest = 0.0f;
  for (uint i = 0u; i < record.morph_slots; ++i)
    largest = max(largest, palette[palette_first + record.morph_slot + i][0].x);
  record.least -= vec3(largest * record.morph_reach);
  record.greatest += vec3(largest * record.morph_reach);
  return record;
}

void main() {
  JobWork work = find_job(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, constants.range);
  BoundsJob job = jobs[work.job];
  bool inside = work.workgroup < work.instance_count;
  ListEntry entry = ListEntry(0u, kEntryHold);
  if (inside) entry = list_entry(work, work.workgroup);
  inside = inside && (entry.state & kEntryHold) == 0u;

  uint self = gl_LocalInvocationIndex;
  Box box = Box(vec3(3e38f), vec3(-3e38f));
  uint palette_first = instance_place(entry.instance).first_palette;
  uint first = job.fit_record_count == 0u || entry_uses(entry.state, false) ? 0u : job.record_count;
  uint end = job.record_count + (entry_uses(entry.state, true) ? job.fit_record_count : 0u);
  for (uint i = first + self; inside && i < end; i += kBoundsWorkgroupSize) {
    BoundsRecord record = with_morphs(records[job.first_record + i], palette_first);
    Box own;
    if (record.dual != 0u) own = pair_box(record, palette_first);
    else own = entry_box(record, palette_first);
    box.least = min(box.least, own.least);
    box.greatest = max(box.greatest, own.greatest);
  }
  leasts[self] = box.least;
  greatests[self] = box.greatest;
  for (uint half_size = kBoundsWorkgroupSize / 2u; half_size > 0u; half_size /= 2u) {
    barrier();
    if (self < half_size) {
      leasts[self] = min(leasts[self], leasts[self + half_size]);
      greatests[self] = max(greatests[self], greatests[self + half_size]);
    }
  }
  if (!inside || self > 0u) return;
  uint at = constants.first_word + entry.instance * constants.stride;
  float margin = job.grow * distance(leasts[0], greatests[0]);
  for (uint i = 0u; i < 3u; ++i) {
    boxes[at + i] = leasts[0][i] - margin;
    boxes[at + 3u + i] = greatests[0][i] + margin;
  }
}
