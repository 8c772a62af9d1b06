// SPDX-License-Identifier: MIT
// How a dispatch finds its work. It runs a range of a table of jobs, each for the instances of a list; a workgroup's
// job is the last one whose first workgroup, counted from the dispatch's first, is not above the workgroup's own
// number. The table, where each job starts in this frame and the lists are one buffer, the crowd's work
// (crowd/crowd.h).
#ifndef PELT_SHADERS_JOBS_H
#define PELT_SHADERS_JOBS_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kBindWork = 0u;  // of every pass: jobs, and behind them, as uvec2[], starts and lists

// The push constants of every pass begin with it.
struct JobRange {
  uint first_job;  // in the table, as an array of such jobs
  uint job_count;
  uint first_start;  // JobStart of the first job, in units of two words
};
PELT_SHARED_SIZE(JobRange, 12);

// Where a job starts in this frame: first workgroup, and how many instances its list has.
struct JobStart {
  uint first_workgroup;
  uint instance_count;
};
PELT_SHARED_SIZE(JobStart, 8);

// An instance in a list, and what is done with it in this frame.
struct ListEntry {
  uint instance;  // of its character
  uint state;     // entry_state()
};
PELT_SHARED_SIZE(ListEntry, 8);

PELT_SHARED_CONST uint kEntryTeleport = 1u;  // previous positions are those of this frame
PELT_SHARED_CONST uint kEntryHold = 2u;      // not moved: previous positions become those that stay

// How finely an instance is moved.
PELT_SHARED_CONST uint kDetailFull = 0u;
PELT_SHARED_CONST uint kDetailReduced = 1u;    // by its strongest influences
PELT_SHARED_CONST uint kDetailLinearFit = 2u;  // by the linear blend that was fitted to it

// `share` of detail `to`, 0 to 255, the rest of detail `from`.
PELT_SHARED_FN uint entry_state(uint flags, uint from, uint to, uint share) {
  return flags | (from << 2u) | (to << 4u) | (share << 8u);
}
PELT_SHARED_FN uint entry_detail_from(uint state) { return (state >> 2u) & 3u; }
PELT_SHARED_FN uint entry_detail_to(uint state) { return (state >> 4u) & 3u; }
PELT_SHARED_FN uint entry_share(uint state) { return (state >> 8u) & 255u; }

// Whether an instance needs what the deformers pose, and whether what the fitted linear blend does.
PELT_SHARED_FN bool entry_uses(uint state, bool fitted) {
  bool from_fitted = entry_detail_from(state) == kDetailLinearFit;
  bool to_fitted = entry_detail_to(state) == kDetailLinearFit;
  uint share = entry_share(state);
  return (state & kEntryHold) == 0u && ((share < 255u && from_fitted == fitted) || (share > 0u && to_fitted == fitted));
}

PELT_SHARED_END

#endif
