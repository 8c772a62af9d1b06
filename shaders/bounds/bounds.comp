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
bool has(uint kind) { return (kContents & (1u << kind)) != 0u; }

#include "../find_job.glsl"

shared vec3 leasts[kBoundsWorkgroupSize];
shared vec3 greatests[kBoundsWorkgroupSize];

// The entries of a group.
struct Entries {
  uint first_word;
  uint count;
  uint palette;  // palette entry that index 0 names
};

vec3 vector_at(uint word) { return uintBitsToFloat(uvec3(words[word], words[word + 1u], words[word + 2u])); }

// `wider`: the farthest that morph targets move local points.
Box shares_box(Entries entries, float wider, float negative) {
  Box box = box_begin();
  for (uint i = 0u; i < entries.count; ++i) {
    uint word = entries.first_word + kBoundsSharesWords * i;
    vec3 reach = vector_at(word + 4u) + wider;
    box = box_with_mapped(box, palette[entries.palette + words[word]], vector_at(word + 1u), reach);
  }
  return box_grown(box, negative * (box.greatest - box.least));
}

uint dual_entry_at(Entries entries, uint i) {
  return entries.palette + words[entries.first_word + kBoundsDualWords * i];
}

// Returns a bit mask of the earlier entries that share a vertex with entry i.
uint sharing_at(Entries entries, uint i) { return words[entries.first_word + kBoundsDualWords * i + 1u]; }

DualQuaternion motion_at(Entries entries, uint i) {
  Affine entry = palette[dual_entry_at(entries, i)];
  return DualQuaternion(entry[0], entry[1]);
}

Affine rigid_at(Entries entries, uint i) {
  DualQuaternion motion = motion_at(entries, i);
  return rigid_from_dual_quaternion(motion, motion);
}

// Returns true if three entries that share vertices with each other have no common side.
bool any_disagrees(Entries entries) {
  for (uint i = 0u; i < entries.count; ++i) {
    vec4 motion = motion_at(entries, i).real;
    for (uint left = sharing_at(entries, i); left != 0u; left &= left - 1u) {
      uint k = findLSB(left);
      vec4 other = motion_at(entries, k).real;
      for (uint thirds = sharing_at(entries, i) & sharing_at(entries, k); thirds != 0u; thirds &= thirds - 1u) {
        vec4 third = motion_at(entries, findLSB(thirds)).real;
        if (sides_disagree(dot(motion, other), dot(other, third), dot(third, motion))) return true;
      }
    }
  }
  return false;
}

// Returns the box of the box middle +- reach under the stretches of the entries.
Box stretched_box(Entries entries, vec3 middle, vec3 reach) {
  Box box = box_begin();
  for (uint i = 0u; i < entries.count; ++i)
    box = box_with_mapped(box, palette[dual_entry_at(entries, i) + 1u], middle, reach);
  return box;
}

// Returns the box for motions that may nearly cancel.
Box disagreeing_box(Entries entries, uint row_entries, vec3 middle, vec3 reach) {
  Box box = box_begin();
  for (uint i = 0u; i < entries.count; ++i)
    box = box_with(box, transform_point(rigid_at(entries, i), middle), vec3(0.0f));
  return box_grown(box, vec3(float(row_entries - 1u) * distance(box.least, box.greatest) + length(reach)));
}

Box dual_box(Entries entries, uint row_entries, vec3 middle, vec3 reach) {
  Box stretched = stretched_box(entries, middle, reach);
  middle = 0.5f * (stretched.least + stretched.greatest);
  reach = 0.5f * (stretched.greatest - stretched.least);
  if (entries.count > kBoundsDualEntries || any_disagrees(entries))
    return disagreeing_box(entries, row_entries, middle, reach);
  DualPairs pairs = dual_pairs_begin();
  for (uint i = 0u; i < entries.count; ++i) {
    DualQuaternion motion = motion_at(entries, i);
    pairs.box = box_with_mapped(pairs.box, rigid_from_dual_quaternion(motion, motion), middle, reach);
    for (uint left = sharing_at(entries, i); left != 0u; left &= left - 1u) {
      DualQuaternion other = on_side_of(motion_at(entries, findLSB(left)), motion);
      // If they are half a turn apart, rounding decides the side in the blend, so both are added.
      uint sides = dot(motion.real, other.real) > kNearlyHalfATurn ? 1u : 2u;
      for (uint side = 0u; side < sides; ++side) {
        pairs = dual_pairs_add(pairs, motion, other, row_entries, middle, reach);
        other = DualQuaternion(-other.real, -other.dual);
      }
    }
  }
  return dual_pairs_box(pairs, row_entries);
}

// Returns the farthest that the instance's morph targets may move a vertex of the record.
float morph_reach(BoundsRecord record, uint palette_first) {
  float largest = 0.0f;
  for (uint i = 0u; i < record.morph_entries; ++i)
    largest = max(largest, palette[palette_first + record.morph_entry + i][0].x);
  return largest * record.morph_reach;
}

// Returns the box of a record. `first_word`: of the character's records.
Box record_box(BoundsRecord record, uint first_word, uint palette_first) {
  float wider = morph_reach(record, palette_first);
  vec3 reach = unpacked(record.reach) + wider;
  uint first = palette_first + record.first_entry;
  Entries entries = Entries(first_word + record.first_word, record.entry_count, first);
  if (has(kBoundsDual) && record.kind == kBoundsDual)
    return dual_box(entries, record.row_entries, unpacked(record.middle), reach);
  if (has(kBoundsShares) && record.kind == kBoundsShares) return shares_box(entries, wider, record.negative);
  return box_with_mapped(box_begin(), palette[first], unpacked(record.middle), reach);
}

void main() {
  JobWork work = find_job(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, constants.range);
  BoundsJob job = jobs[work.job];
  bool inside = work.workgroup < work.instance_count;
  ListEntry entry = ListEntry(0u, kEntryHold);
  if (inside) entry = list_entry(work, work.workgroup);
  inside = inside && (entry.state & kEntryHold) == 0u;

  uint self = gl_LocalInvocationIndex;
  Box box = box_begin();
  uint palette_first = instance_location(entry.instance).first_palette;
  bool painted = job.painted_record_count > 0u && (entry.state & kEntryLinearBlend) != 0u;
  uint first = painted ? job.record_count : 0u;
  uint end = job.record_count + (painted ? job.painted_record_count : 0u);
  for (uint i = first + self; inside && i < end; i += kBoundsWorkgroupSize) {
    BoundsRecord record = records[job.first_record + i];
    box = box_of_both(box, record_box(record, job.first_record * kBoundsRecordWords, palette_first));
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
