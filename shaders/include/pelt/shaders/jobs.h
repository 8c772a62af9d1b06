// SPDX-License-Identifier: MIT
// How a dispatch finds its work. It runs a range of a table of jobs, each for the instances of a list. A workgroup runs
// the last job whose first workgroup, relative to the dispatch's first, does not exceed the workgroup's number. One
// buffer, the crowd's work (crowd/plan.h), holds the InstanceLocations, the table, the start of each job in this frame
// and the lists.
#ifndef PELT_SHADERS_JOBS_H
#define PELT_SHADERS_JOBS_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

// In every pass: InstanceLocation[], jobs, and after them, as uvec2[], starts and lists.
PELT_SHARED_CONST uint kBindWork = 0u;

// An instance of the crowd: its first element in each stream.
struct InstanceLocation {
  uint character;  // index in the table of the plan, or kNoIndex if the crowd has no such instance
  uint first_joint;
  uint first_input;
  uint first_palette;  // palette entry
  uint first_driver;   // index among the vertices of drivers
  uint first_vertex;   // in the outputs, or kNoIndex: it has no outputs and is not moved
  uint generation;     // another one each time that the instance gets outputs
  // Its state in this frame: kEntry... and levels, or kNoIndex if it is not listed. Between the parts of a frame
  // whose second part has a list of its own: how it is posed, or kNoIndex if it never was.
  uint state;
};
PELT_SHARED_SIZE(InstanceLocation, 32);

PELT_SHARED_CONST uint kLocationPairs = 4u;  // size of an InstanceLocation in the work, in units of two words

// The first member of every pass's push constants.
struct JobRange {
  uint first_job;  // index in the table, as an array of such jobs
  uint job_count;
  uint first_start;  // JobStart of the first job, in units of two words
};
PELT_SHARED_SIZE(JobRange, 12);

// The start of a job in this frame: its first workgroup, and the list of its instances.
struct JobStart {
  uint first_workgroup;
  uint instance_count;
  uint first_in_list;  // of the list: in the work, in units of two words
  uint unused;
};
PELT_SHARED_SIZE(JobStart, 16);

PELT_SHARED_CONST uint kStartPairs = 2u;  // size of a JobStart, in units of two words

// Instances whose vertices are moved in turn (block_of_tile in find_job.glsl): few enough for a cache to keep their
// palettes, 1 to 2 MB for large characters; enough to share the cost of reading bind data.
PELT_SHARED_CONST uint kTileInstances = 16u;

// Returns the number of workgroups for `items` of one instance.
PELT_SHARED_FN uint item_blocks(uint items, uint workgroup_size) {
  return (items + workgroup_size - 1u) / workgroup_size;
}

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
PELT_SHARED_FN uint entry_with_last_levels(uint state, uint last) {
  return (state & 0xFFFFFu) | ((last & kEntryLevels) << 12u);
}

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

// True if an instance is posed: its palette is that of this frame.
PELT_SHARED_FN bool entry_is_posed(uint state) { return (state & (kEntryHold | kEntryStay)) == 0u; }

PELT_SHARED_END

#endif
