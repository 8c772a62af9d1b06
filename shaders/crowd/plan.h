// SPDX-License-Identifier: MIT
// The plan of a frame: which instances are moved, where each job starts, how many workgroups each dispatch has. One
// workgroup makes it before anything else of the frame runs.
#ifndef PELT_SHADERS_CROWD_CROWD_H
#define PELT_SHADERS_CROWD_CROWD_H

#include "pelt/shaders/jobs.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kPlanWorkgroupSize = 128u;

PELT_SHARED_CONST uint kPlanBindGiven = 1u;      // uint[]: a count for each character, then ListEntry[], written by the
                                                 // caller: those of character c begin at PlanCharacter::first_given
PELT_SHARED_CONST uint kPlanBindTable = 2u;      // uint[]: the crowd's jobs, which are copied to the front of the work,
                                                 // then PlanCharacter[], PlanJob[], PlanStep[]
PELT_SHARED_CONST uint kPlanBindArguments = 3u;  // uvec3[]: VkDispatchIndirectCommand of each step
PELT_SHARED_CONST uint kPlanBindCount = 4u;

// Lists of a character.
PELT_SHARED_CONST uint kListGiven = 0u;      // all that were given
PELT_SHARED_CONST uint kListDeformed = 1u;   // those that their deformers move
PELT_SHARED_CONST uint kListLinearFit = 2u;  // those that the fitted linear blend moves; of a fade both
PELT_SHARED_CONST uint kListKinds = 3u;

struct PlanCharacter {
  uint capacity;     // instances of it: no list is longer, no instance number as large
  uint first_given;  // entry of its first instance, in words of `given`
  uint first_list;   // of its first list in the work, in units of two words; the others follow, `capacity` apart
  uint has_fit;      // 0: its deformers move it whatever the detail
};
PELT_SHARED_SIZE(PlanCharacter, 16);

struct PlanJob {
  uint blocks;  // workgroups an instance
  uint list;    // kListKinds * character + kind
};
PELT_SHARED_SIZE(PlanJob, 8);

// One dispatch.
struct PlanStep {
  uint first_job;  // in PlanJob[]
  uint job_count;
};
PELT_SHARED_SIZE(PlanStep, 8);

struct PlanConstants {
  uint work_pairs;  // of the jobs, in units of two words
  uint character_count;
  uint job_count;
  uint step_count;
  uint first_count;      // how many each list has, in the work, in units of two words
  uint first_start;      // JobStart of the first job of PlanJob[], in the same units
  uint most_workgroups;  // in x
};
PELT_SHARED_SIZE(PlanConstants, 28);

PELT_SHARED_END

#endif
