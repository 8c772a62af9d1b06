// SPDX-License-Identifier: MIT
// The table of a frame of a crowd, for draws that the device makes, and the entries of the lists that frames show.
//
// The table of a frame (Crowd::table) is one storage buffer: a TableHeader, the InstanceLocation of each instance
// number, and the MeshLocations of the characters. It has all that a draw of instance i needs:
//
//   layout(binding = 0, std430) readonly buffer Table { TableHeader header; InstanceLocation instances[]; };
//   layout(binding = 0, std430) readonly buffer Meshes { MeshLocation meshes[]; };  // in the same buffer
//
//   InstanceLocation instance = instances[i];
//   for (uint m = 0u; m < instance.mesh_count; ++m) {
//     MeshLocation mesh = meshes[instance.first_mesh + m];
//     if (mesh_shown(instance.state, mesh)) draw(mesh_vertex(instance, mesh), mesh.vertex_count);
//   }
//
// Vertices are elements of the outputs of TableHeader::slot, previous positions those of previous_slot_of(). The box of
// instance i is element i of the bounds.
#ifndef PELT_SHADERS_CROWD_TABLE_H
#define PELT_SHADERS_CROWD_TABLE_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

struct TableHeader {
  uint frame;           // number of the frame, modulo 2^32
  uint slot;            // output slot that the frame writes
  uint previous_slot;   // that of the frame before; with one slot, previous positions are an output of their own
  uint instance_count;  // instance numbers are below this
};
PELT_SHARED_SIZE(TableHeader, 16);

// An instance of the crowd: its first element in each stream.
struct InstanceLocation {
  uint character;  // its number, or kNoIndex if the crowd has no such instance
  uint first_joint;
  uint first_input;
  uint first_palette;  // palette entry
  uint first_driver;   // index among the vertices of drivers
  uint first_vertex;   // in the outputs, or kNoIndex: it has no outputs and is not moved
  uint generation;     // another one each time that the instance gets outputs
  // Its state in this frame: kEntry... and levels, or kNoIndex if it is not listed. Between the parts of a frame
  // whose second part has a list of its own: how it is posed, or kNoIndex if it never was.
  uint state;
  // In the table, as an array of MeshLocations: CharacterData::meshes, then CharacterData::levels.
  uint first_mesh;
  uint mesh_count;
  uint first_anchor;  // in the output of anchors
  uint anchor_count;  // CharacterData::anchors
};
PELT_SHARED_SIZE(InstanceLocation, 48);

// A mesh of a character, or a coarser level of one.
struct MeshLocation {
  uint first_vertex;  // relative to the instance's first vertex, or kNoIndex: a driver, which is not written
  uint vertex_count;
  uint first_level;  // levels of detail that show it
  uint last_level;
};
PELT_SHARED_SIZE(MeshLocation, 16);

// An instance that a frame shows.
struct ListEntry {
  uint instance;  // number of the instance in the crowd
  uint state;     // kEntry... and entry_levels(); 0: fully moved, at its finest level
};
PELT_SHARED_SIZE(ListEntry, 8);

// Set by who makes the list:
PELT_SHARED_CONST uint kEntryTeleport = 1u;  // it has no motion in this frame, and secondary action restarts at rest
PELT_SHARED_CONST uint kEntryStay = 2u;      // it keeps the pose and the detail of the frame that posed it last
// Moved by linear blend with painted weights, so deformers are not posed; by deformers if a skin has no painted
// weights.
PELT_SHARED_CONST uint kEntryLinearBlend = 4u;
PELT_SHARED_CONST uint kEntryRestart = 8u;  // secondary action restarts at rest
// Set by the plan of the frame: only its previous positions change, to its positions. The plan also sets kEntryTeleport
// if the frame before did not show the instance.
PELT_SHARED_CONST uint kEntryHold = 16u;

// The levels of detail at which an instance's skins are shown, as bits of its state: one twice, or two during a fade.
// The plan adds those of the frame before.
PELT_SHARED_CONST uint kEntryLevels = 0xFFF00u;
PELT_SHARED_FN uint entry_levels(uint level, uint other) { return (level << 8u) | (other << 14u); }
PELT_SHARED_FN uint entry_level(uint state) { return (state >> 8u) & 63u; }
PELT_SHARED_FN uint entry_other_level(uint state) { return (state >> 14u) & 63u; }

// True if an instance shows its mesh that is shown at levels first to last.
PELT_SHARED_FN bool entry_shows(uint state, uint first, uint last) {
  uint level = entry_level(state);
  uint other = entry_other_level(state);
  return (level >= first && level <= last) || (other >= first && other <= last);
}

// True if such a mesh has no motion, because the frame before did not show it.
PELT_SHARED_FN bool entry_appears(uint state, uint first, uint last) {
  return (state & kEntryTeleport) != 0u || !entry_shows(state >> 12u, first, last);
}

PELT_SHARED_FN bool mesh_has_level(MeshLocation mesh, uint level) {
  return level >= mesh.first_level && level <= mesh.last_level;
}

// True if an instance in this state shows a mesh. If two levels fade, mesh_has_level() tells whose mesh it is.
PELT_SHARED_FN bool mesh_shown(uint state, MeshLocation mesh) {
  return state != kNoIndex && mesh.first_vertex != kNoIndex && entry_shows(state, mesh.first_level, mesh.last_level);
}

// True if the mesh has no motion: its previous positions are its positions.
PELT_SHARED_FN bool mesh_appears(uint state, MeshLocation mesh) {
  return entry_appears(state, mesh.first_level, mesh.last_level);
}

// Returns the output slot that has the mesh's previous positions.
PELT_SHARED_FN uint previous_slot_of(TableHeader header, uint state, MeshLocation mesh) {
  return mesh_appears(state, mesh) ? header.slot : header.previous_slot;
}

// Returns the mesh's first element in the vertex outputs.
PELT_SHARED_FN uint mesh_vertex(InstanceLocation instance, MeshLocation mesh) {
  return instance.first_vertex + mesh.first_vertex;
}

PELT_SHARED_END

#endif
