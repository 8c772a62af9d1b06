// SPDX-License-Identifier: MIT
// The plan of a frame: the instances to move, the start of each job, the number of workgroups of each dispatch. The
// host makes it (runtime/plan/host_plan.h) from the caller's list; if a buffer of the caller's has the list, one
// workgroup makes it before anything else in the frame. If a buffer has a list for the second part of a frame, one
// workgroup plans that after the palettes are posed.
#ifndef PELT_SHADERS_CROWD_PLAN_H
#define PELT_SHADERS_CROWD_PLAN_H

#include "../jobs.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kPlanWorkgroupSize = 128u;

PELT_SHARED_CONST uint kPlanBindExternal = 1u;   // uint[]: a count, then ListEntry[], written by the caller
PELT_SHARED_CONST uint kPlanBindTable = 2u;      // uint[]: PlanCharacter[], then PlanLevels[], PlanList[],
                                                 // PlanJob[], PlanStep[]
PELT_SHARED_CONST uint kPlanBindArguments = 3u;  // uint[]: VkDispatchIndirectCommand of each step, 3 words
PELT_SHARED_CONST uint kPlanBindMemory = 4u;     // InstanceMemory[]
PELT_SHARED_CONST uint kPlanBindCount = 5u;

// The memory that plans have of an instance. Frames count from 1; 0: never.
struct InstanceMemory {
  uint shown;  // the last frame that listed it
  uint since;  // the frame from which on all frames show it with the same vertices
  uint state;  // of that frame
  uint generation;
};
PELT_SHARED_SIZE(InstanceMemory, 16);

struct PlannedEntry {
  InstanceMemory memory;
  uint state;  // in this frame
  bool works;  // false: the frame's slot has its outputs already
};

// Plans an entry of a list. `slots`: how many frames in turn write outputs of their own. `copies`: previous positions
// are copied. Precondition: kEntryLinearBlend is not set if the character has no linear blend. An instance that stays
// is moved once more for each further slot, and its previous positions once more.
PELT_SHARED_FN PlannedEntry plan_entry(InstanceMemory memory, uint state, uint frame, uint slots, bool copies) {
  bool shown_before = memory.shown != 0u && memory.shown + 1u == frame;
  if (memory.shown == 0u) state &= ~kEntryStay;
  bool stays = (state & kEntryStay) != 0u;
  // Not by masks of both states: Mesa 22.3 takes the wrong bits of the second.
  bool linear_blend = ((stays ? memory.state : state) & kEntryLinearBlend) != 0u;
  state &= ~kEntryLinearBlend;
  if (linear_blend) state |= kEntryLinearBlend;
  if (!shown_before) state |= kEntryTeleport;
  // Secondary action restarts in the next frame in which deformers pose it.
  if ((state & kEntryTeleport) != 0u || (memory.state & kEntryRestart) != 0u) state |= kEntryRestart;
  state = entry_with_last_levels(state & ~kEntryHold, memory.state);
  if (!shown_before || !stays || ((state ^ memory.state) & kEntryLevels) != 0u) memory.since = frame;
  uint age = frame - memory.since;
  if (copies && age == 1u) state |= kEntryHold;
  memory.shown = frame;
  memory.state = stays || (state & kEntryLinearBlend) != 0u ? state : state & ~kEntryRestart;
  PlannedEntry planned;
  planned.memory = memory;
  planned.state = state;
  planned.works = age < slots || (copies && age == 1u);
  return planned;
}

// The lists of a character: kListDeformed, then one for each of its ranges of levels.
PELT_SHARED_CONST uint kListDeformed = 0u;  // instances that the deformers pose
PELT_SHARED_CONST uint kListLevels = 1u;    // of the first range: instances shown at one of its levels

// Levels of detail at which meshes are shown. The first range of a character has all levels.
struct PlanLevels {
  uint first;
  uint last;
};
PELT_SHARED_SIZE(PlanLevels, 8);

// True if an instance in this state is in kListDeformed.
PELT_SHARED_FN bool state_is_deformed(uint state) { return entry_is_posed(state) && (state & kEntryLinearBlend) == 0u; }

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
  uint frame;            // from 1
  uint slots;            // as in plan_entry()
  uint flags;            // kPlan...
};
PELT_SHARED_SIZE(PlanConstants, 52);

PELT_SHARED_CONST uint kPlanCopies = 1u;      // previous positions are copied
PELT_SHARED_CONST uint kPlanFirstPart = 2u;   // another list has the skins to move
PELT_SHARED_CONST uint kPlanSecondPart = 4u;  // of the skins to move; InstanceLocation::state has how they are posed

// The first words of the parts of the table.
PELT_SHARED_FN uint levels_word(PlanConstants plan) { return 4u * plan.character_count; }
PELT_SHARED_FN uint lists_word(PlanConstants plan) { return levels_word(plan) + 2u * plan.levels_count; }
PELT_SHARED_FN uint jobs_word(PlanConstants plan) { return lists_word(plan) + 2u * plan.list_count; }
PELT_SHARED_FN uint steps_word(PlanConstants plan) { return jobs_word(plan) + 2u * plan.job_count; }

PELT_SHARED_END

#endif
