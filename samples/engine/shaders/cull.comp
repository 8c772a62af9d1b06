// SPDX-License-Identifier: MIT
// One thread per instance, between the two parts of the crowd's frame. Reads the box that the first part wrote, lists
// the instance for the second part if it or its shadow is seen, and writes its draws.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "culling.h"
#include "pelt/shaders/jobs.h"

layout(local_size_x = kCullGroup) in;
layout(push_constant, scalar) uniform Constants { CullConstants view; };
layout(set = 0, binding = 0, scalar) readonly buffer Boxes { vec3 boxes[]; };  // Crowd::outputs().bounds
layout(set = 0, binding = 1, scalar) readonly buffer Walkers { WalkerRecord walkers[]; };
layout(set = 0, binding = 2, scalar) readonly buffer Levels { LevelRecord levels[]; };
layout(set = 0, binding = 3, scalar) readonly buffer Parts { PartRecord parts[]; };
layout(set = 0, binding = 4, scalar) buffer Drawn { uint drawn_count; ListEntry drawn[]; };  // CrowdOptions::drawn
layout(set = 0, binding = 5, scalar) buffer Counts { CullCounts counts; };
layout(set = 0, binding = 6, scalar) writeonly buffer Draws { DrawRecord draws[]; };
layout(set = 0, binding = 7, scalar) writeonly buffer Casts { DrawRecord casts[]; };

DrawRecord draw_of(PartRecord part, WalkerRecord walker, uint instance) {
  return DrawRecord(part.index_count, 1u, part.first_index, int(walker.first_vertex + part.first_vertex), instance);
}

// Writes the draws of an instance at one of its levels.
void draw_level(WalkerRecord walker, uint level, uint instance, bool seen) {
  LevelRecord own = levels[walker.character * kLevelCount + level];
  uint first_cast = atomicAdd(counts.casts, own.part_count);
  uint first_draw = seen ? atomicAdd(counts.draws, own.part_count) : 0u;
  for (uint p = 0u; p < own.part_count; ++p) {
    DrawRecord record = draw_of(parts[own.first_part + p], walker, instance);
    casts[first_cast + p] = record;
    if (seen) draws[first_draw + p] = record;
  }
}

void main() {
  uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * kCullGroup + gl_LocalInvocationID.x;
  if (i >= view.instances || walkers[i].character == kNobody) return;
  WalkerRecord walker = walkers[i];
  OrientedBox box = oriented_box(walker.world, boxes[2u * i], boxes[2u * i + 1u]);
  if (!box_seen(view, box, shadow_sweep(view, box))) return;
  drawn[atomicAdd(drawn_count, 1u)] = ListEntry(i, entry_levels(walker.from, walker.to));
  atomicAdd(counts.drawn, 1u);
  bool seen = box_seen(view, box, vec3(0.0));
  if (seen) {
    atomicAdd(counts.seen, 1u);
    atomicAdd(counts.shown[walker.to], 1u);
  }
  draw_level(walker, walker.to, 2u * i + 1u, seen);
  if (walker.from != walker.to) draw_level(walker, walker.from, 2u * i, seen);
}
