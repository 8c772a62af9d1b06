// SPDX-License-Identifier: MIT
// The plan of a frame: the instances to move, the start of each job, the number of workgroups of each dispatch. The host
// makes it (runtime/host_plan.h) where it knows the instances; where a buffer of the caller's lists them, one workgroup
// makes it before anything else of the frame runs.
#ifndef PELT_SHADERS_CROWD_PLAN_H
#define PELT_SHADERS_CROWD_PLAN_H

#include "pelt/shaders/jobs.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kPlanWorkgroupSize = 128u;

PELT_SHARED_CONST uint kPlanBindGiven = 1u;      // uint[]: a count for each character, then ListEntry[], written by the
                                                 // caller: those of character c begin at PlanCharacter::first_given
PELT_SHARED_CONST uint kPlanBindTable = 2u;      // uint[]: PlanCharacter[], PlanJob[], PlanStep[]
PELT_SHARED_CONST uint kPlanBindArguments = 3u;  // uvec3[]: VkDispatchIndirectCommand of each step
PELT_SHARED_CONST uint kPlanBindCount = 4u;

// The lists of a character.
PELT_SHARED_CONST uint kListGiven = 0u;      // all instances that were given
PELT_SHARED_CONST uint kListDeformed = 1u;   // those that the deformers pose
PELT_SHARED_CONST uint kListLinearFit = 2u;  // posed for the fitted linear blend; a fading instance may be in both
PELT_SHARED_CONST uint kListSteady = 3u;     // those of kListGiven that do not fade
PELT_SHARED_CONST uint kListFading = 4u;     // those that do (entry_fades): skins have a pipeline for them
PELT_SHARED_CONST uint kListKinds = 5u;

// True if an instance in this state is in a list. `has_fit`: PlanCharacter::has_fit.
PELT_SHARED_FN bool state_is_listed(uint state, uint kind, bool has_fit) {
  bool posed = entry_is_posed(state);
  if (kind == kListDeformed) return posed && (!has_fit || entry_uses(state, false));
  if (kind == kListLinearFit) return posed && has_fit && entry_uses(state, true);
  if (kind == kListSteady) return !entry_fades(state);
  if (kind == kListFading) return entry_fades(state);
  return true;
}

struct PlanCharacter {
  uint capacity;     // number of its instances: no list is longer, and instance numbers are below it
  uint first_given;  // entry of its first instance, in words of `given`
  uint first_list;   // its first list in the work, in units of two words; the others follow, `capacity` apart
  uint has_fit;      // 0: its deformers move it at every detail
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
  uint character_count;
  uint job_count;
  uint step_count;
  uint first_count;  // the lists' lengths in the work, behind the jobs, in units of two words
  uint first_start;  // JobStart of the first job of PlanJob[], in the same units
  uint most_workgroups;  // that the device takes in x
};
PELT_SHARED_SIZE(PlanConstants, 24);

PELT_SHARED_END

#endif
