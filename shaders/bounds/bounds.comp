// SPDX-License-Identifier: MIT
// A workgroup finds the box of one instance.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bounds.h"

layout(local_size_x = kBoundsWorkgroupSize) in;

layout(binding = kBindWork, std430) readonly buffer Jobs { BoundsJob jobs[]; };
layout(binding = kBoundsBindRecords, std430) readonly buffer Records { BoundsRecord records[]; };
layout(binding = kBoundsBindRecords, std430) readonly buffer Words { uint words[]; };
layout(binding = kBoundsBindPalette, std430) readonly buffer Palette { Affine palette[]; };
layout(binding = kBoundsBindBoxes, std430) writeonly buffer Boxes { float boxes[]; };

layout(push_constant, std430) uniform Constants { BoundsConstants constants; };

layout(constant_id = kBoundsSpecContents) const uint kContents = 0u;

// Whether a record of the dispatch has this kind.
bool has_bounds(uint kind) { return (kContents & (1u << kind)) != 0u; }

#include "../find_job.glsl"

shared vec3 leasts[kBoundsWorkgroupSize];
shared vec3 greatests[kBoundsWorkgroupSize];

struct BoundsWork {
  uint first_word;
  uint palette_first;
};

uint bounds_word(BoundsWork work, uint i) { return words[i]; }
Affine bounds_entry(BoundsWork work, uint i) { return palette[i]; }

float morph_reach(BoundsWork work, BoundsRecord record) {
  float largest = 0.0f;
  for (uint i = 0u; i < record.morph_entries; ++i)
    largest = max(largest, bounds_entry(work, work.palette_first + record.morph_entry + i)[0].x);
  return largest * record.morph_reach;
}

#include "record_box.inl"

void main() {
  JobWork work = find_job(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, constants.range);
  BoundsJob job = jobs[work.job];
  bool inside = work.workgroup < work.instance_count;
  ListEntry entry = ListEntry(0u, kEntryHold);
  if (inside) entry = list_entry(work, work.workgroup);
  inside = inside && (entry.state & kEntryHold) == 0u;

  uint self = gl_LocalInvocationIndex;
  Box box = box_begin();
  BoundsWork skin =
      BoundsWork(job.first_record * kBoundsRecordWords, instance_location(entry.instance).first_palette);
  bool painted = job.painted_record_count > 0u && (entry.state & kEntryLinearBlend) != 0u;
  uint first = painted ? job.record_count : 0u;
  uint end = job.record_count + (painted ? job.painted_record_count : 0u);
  for (uint i = first + self; inside && i < end; i += kBoundsWorkgroupSize) {
    BoundsRecord record = records[job.first_record + i];
    box = box_of_both(box, record_box(skin, record));
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
  box = box_with_rounding(Box(leasts[0], greatests[0]));
  for (uint i = 0u; i < 3u; ++i) {
    boxes[at + i] = box.least[i];
    boxes[at + 3u + i] = box.greatest[i];
  }
}
