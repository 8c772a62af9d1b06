// SPDX-License-Identifier: MIT
// How a dispatch finds its work. It runs a range of a table of jobs; a workgroup's job is the last one whose
// first_workgroup, counted from the dispatch's first, is not above the workgroup's own number.
#ifndef PELT_SHADERS_JOBS_H
#define PELT_SHADERS_JOBS_H

#include "interop.h"

PELT_SHARED_BEGIN

// The push constants of every pass.
struct JobRange {
  uint first_job;
  uint job_count;
};
PELT_SHARED_SIZE(JobRange, 8);

PELT_SHARED_END

#endif
