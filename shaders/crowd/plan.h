// SPDX-License-Identifier: MIT
// The plan of a frame: the instances to move, the start of each job, the number of workgroups of each dispatch. The
// host makes it (runtime/plan/host_plan.h) if it knows the instances; if a buffer of the caller lists them, one workgroup
// makes it before anything else in the frame. If such a buffer lists the drawn skins, one workgroup plans their blend
// after the palettes are posed.
#ifndef PELT_SHADERS_CROWD_PLAN_H
#define PELT_SHADERS_CROWD_PLAN_H

#include "pelt/shaders/jobs.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kPlanWorkgroupSize = 128u;

PELT_SHARED_CONST uint kPlanBindExternal = 1u;   // uint[]: a count, then ListEntry[], written by the caller; for
                                                 // drawn skins the numbers of their instances
PELT_SHARED_CONST uint kPlanBindTable = 2u;      // uint[]: PlanCharacter[], then PlanLevels[], PlanList[],
                                                 // PlanJob[], PlanStep[]
PELT_SHARED_CONST uint kPlanBindArguments = 3u;  // uint[]: VkDispatchIndirectCommand of each step, 3 words
PELT_SHARED_CONST uint kPlanBindDrawn = 4u;      // uint[]: the frame in which each instance was last drawn
PELT_SHARED_CONST uint kPlanBindCount = 5u;

// The lists of a character: kListDeformed, then one for each of its ranges of levels.
PELT_SHARED_CONST uint kListDeformed = 0u;  // instances that the deformers pose
PELT_SHARED_CONST uint kListLevels = 1u;    // of the first range: instances shown at one of its levels

// Levels of detail at which meshes are shown. The first range of a character has all levels.
struct PlanLevels {
  uint first;
  uint last;
};
PELT_SHARED_SIZE(PlanLevels, 8);

// True if an instance in this state is in kListDeformed. `has_linear_blend`: as in PlanCharacter.
PELT_SHARED_FN bool state_is_deformed(uint state, bool has_linear_blend) {
  return entry_is_posed(state) && !(has_linear_blend && (state & kEntryLinearBlend) != 0u);
}

struct PlanCharacter {
  uint first_list;    // index among the lists of all characters
  uint first_levels;  // its first PlanLevels
  uint levels_count;
  uint has_linear_blend;  // 0: deformers move it at every detail
};
PELT_SHARED_SIZE(PlanCharacter, 16);

struct PlanList {
  uint first_in_list;  // in the work, in units of two words
  uint capacity;       // instances of its character; 0: no job reads the list
};
PELT_SHARED_SIZE(PlanList, 8);

struct PlanJob {
  uint blocks;  // workgroups per instance
  uint list;
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
  uint levels_count;
  uint list_count;
  uint job_count;
  uint first_step;  // earlier steps are already planned
  uint step_count;
  uint first_start;      // JobStart of the first job of PlanJob[]: in the work, in units of two words
  uint first_count;      // the lists' lengths, in the same units
  uint instance_count;   // capacity of the crowd: instance numbers are below
  uint most_workgroups;  // most workgroups in x that the device allows
  uint drawn_frame;      // for drawn skins the number of the frame, from 1; else 0
};
PELT_SHARED_SIZE(PlanConstants, 44);

// The first words of the parts of the table.
PELT_SHARED_FN uint levels_word(PlanConstants plan) { return 4u * plan.character_count; }
PELT_SHARED_FN uint lists_word(PlanConstants plan) { return levels_word(plan) + 2u * plan.levels_count; }
PELT_SHARED_FN uint jobs_word(PlanConstants plan) { return lists_word(plan) + 2u * plan.list_count; }
PELT_SHARED_FN uint steps_word(PlanConstants plan) { return jobs_word(plan) + 2u * plan.job_count; }

PELT_SHARED_END

#endif
