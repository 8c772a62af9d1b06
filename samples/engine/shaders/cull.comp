// SPDX-License-Identifier: MIT
// One thread per instance, between the two parts of the crowd's frame. Reads the box that the first part wrote, lists
// the instance for the second part if it or its shadow is seen, and writes its draws from the crowd's table.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "culling.h"
#include "pelt/shaders/crowd_table.h"

layout(local_size_x = kCullGroup) in;
layout(push_constant, scalar) uniform Constants { CullConstants view; };
layout(set = 0, binding = 0, scalar) readonly buffer Boxes { vec3 boxes[]; };  // Crowd::outputs().bounds
layout(set = 0, binding = 1, scalar) readonly buffer Walkers { WalkerRecord walkers[]; };
layout(set = 0, binding = 2, scalar) readonly buffer Parts { PartRecord parts[]; };
layout(set = 0, binding = 3, scalar) readonly buffer Table { TableHeader header; InstanceLocation instances[]; };
layout(set = 0, binding = 3, scalar) readonly buffer Meshes { MeshLocation meshes[]; };  // in the same buffer
layout(set = 0, binding = 4, scalar) buffer Drawn { uint drawn_count; ListEntry drawn[]; };  // CrowdOptions::drawn
layout(set = 0, binding = 5, scalar) buffer Counts { CullCounts counts; };
layout(set = 0, binding = 6, scalar) writeonly buffer Draws { DrawRecord draws[]; };
layout(set = 0, binding = 7, scalar) writeonly buffer Casts { DrawRecord casts[]; };

void main() {
  uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * kCullGroup + gl_LocalInvocationID.x;
  if (i >= header.instance_count || instances[i].state == kNoIndex) return;
  InstanceLocation instance = instances[i];
  OrientedBox box = oriented_box(walkers[i].world, boxes[2u * i], boxes[2u * i + 1u]);
  if (!box_seen(view, box, shadow_sweep(view, box))) return;
  drawn[atomicAdd(drawn_count, 1u)] = ListEntry(i, instance.state & kEntryLevels);
  atomicAdd(counts.drawn, 1u);
  bool seen = box_seen(view, box, vec3(0.0));
  if (seen) {
    atomicAdd(counts.seen, 1u);
    atomicAdd(counts.shown[entry_other_level(instance.state)], 1u);
  }
  for (uint m = 0u; m < instance.mesh_count; ++m) {
    MeshLocation mesh = meshes[instance.first_mesh + m];
    if (!mesh_shown(instance.state, mesh)) continue;
    PartRecord part = parts[kMaxMeshes * instance.character + m];
    DrawRecord record = DrawRecord(part.index_count, 1u, part.first_index, int(mesh_vertex(instance, mesh)),
                                   kMaxMeshes * i + m);
    casts[atomicAdd(counts.casts, 1u)] = record;
    if (seen) draws[atomicAdd(counts.draws, 1u)] = record;
  }
}
