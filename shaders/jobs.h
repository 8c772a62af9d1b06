// SPDX-License-Identifier: MIT
// How a dispatch finds its work. It runs a range of a table of jobs, each for the instances of a list. A workgroup runs
// the last job whose first workgroup, relative to the dispatch's first, does not exceed the workgroup's number. One
// buffer, the crowd's work (crowd/plan.h), holds the table of instances (pelt/shaders/crowd_table.h), the table of
// jobs, the start of each job in this frame and the lists.
#ifndef PELT_SHADERS_JOBS_H
#define PELT_SHADERS_JOBS_H

#include "pelt/shaders/crowd_table.h"

PELT_SHARED_BEGIN

// In every pass: the table of instances with jobs in it, and after them, as uvec2[], starts and lists.
PELT_SHARED_CONST uint kBindWork = 0u;

// In units of two words:
PELT_SHARED_CONST uint kHeaderPairs = 2u;    // size of the TableHeader
PELT_SHARED_CONST uint kLocationPairs = 6u;  // size of an InstanceLocation
PELT_SHARED_FN uint location_pair(uint instance) { return kHeaderPairs + kLocationPairs * instance; }

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
  uint by_last_tile;   // reciprocal_of() its instances in the last tile
};
PELT_SHARED_SIZE(JobStart, 16);

PELT_SHARED_CONST uint kStartPairs = 2u;  // size of a JobStart, in units of two words

// Instances whose vertices are moved in turn (block_of_tile in find_job.glsl): few enough for a cache to keep their
// palettes, 1 to 2 MB for large characters; enough to share the cost of reading bind data.
PELT_SHARED_CONST uint kTileInstances = 16u;

// Division by the result is a multiplication (divided() in find_job.glsl); nothing is divided by 0.
PELT_SHARED_FN uint reciprocal_of(uint d) { return 0xFFFFFFFFu / max(d, 1u); }

// Returns the number of workgroups for `items` of one instance.
PELT_SHARED_FN uint item_blocks(uint items, uint workgroup_size) {
  return (items + workgroup_size - 1u) / workgroup_size;
}

PELT_SHARED_FN uint entry_with_last_levels(uint state, uint last) {
  return (state & 0xFFFFFu) | ((last & kEntryLevels) << 12u);
}

// True if an instance is posed: its palette is that of this frame.
PELT_SHARED_FN bool entry_is_posed(uint state) { return (state & (kEntryHold | kEntryStay)) == 0u; }

PELT_SHARED_END

#endif
