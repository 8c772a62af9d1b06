// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#include "plan.h"

layout(local_size_x = kPlanWorkgroupSize) in;

layout(binding = kBindWork, std430) coherent buffer Work { uvec2 work_words[]; };
layout(binding = kPlanBindExternal, std430) readonly buffer External { uint external_list[]; };
layout(binding = kPlanBindTable, std430) readonly buffer Table { uint table[]; };
layout(binding = kPlanBindArguments, std430) writeonly buffer Arguments { uint arguments[]; };
layout(binding = kPlanBindMemory, std430) coherent buffer Memory { InstanceMemory memories[]; };

layout(push_constant, std430) uniform Constants { PlanConstants plan; };

PlanCharacter plan_character(uint i) {
  uint at = 4u * i;
  return PlanCharacter(table[at], table[at + 1u], table[at + 2u], table[at + 3u]);
}

PlanLevels plan_levels(uint i) {
  uint at = levels_word(plan) + 2u * i;
  return PlanLevels(table[at], table[at + 1u]);
}

PlanList plan_list(uint i) {
  uint at = lists_word(plan) + 2u * i;
  return PlanList(table[at], table[at + 1u]);
}

PlanJob plan_job(uint i) {
  uint at = jobs_word(plan) + 2u * i;
  return PlanJob(table[at], table[at + 1u]);
}

PlanStep plan_step(uint i) {
  uint at = steps_word(plan) + 2u * i;
  return PlanStep(table[at], table[at + 1u]);
}

// A list can only be full if an instance is listed twice.
void append(uint list, ListEntry entry) {
  PlanList to = plan_list(list);
  if (to.capacity == 0u) return;
  uint place = atomicAdd(work_words[plan.first_count + list].x, 1u);
  if (place < to.capacity) work_words[to.first_in_list + place] = uvec2(entry.instance, entry.state);
}

void add_to_lists(ListEntry entry) {
  PlanCharacter character = plan_character(work_words[location_pair(entry.instance)].x);
  if (state_is_deformed(entry.state)) append(character.first_list + kListDeformed, entry);
  for (uint r = 0u; r < character.levels_count; ++r) {
    PlanLevels levels = plan_levels(character.first_levels + r);
    if (entry_shows(entry.state, levels.first, levels.last)) append(character.first_list + kListLevels + r, entry);
  }
}

uint state_at(uint instance) { return location_pair(instance) + 3u; }

// Returns the memory of an instance, which is empty if its outputs are new.
InstanceMemory memory_of(uint instance) {
  InstanceMemory memory = memories[instance];
  uint generation = work_words[state_at(instance)].x;
  if (memory.generation == generation) return memory;
  return InstanceMemory(0u, 0u, 0u, generation);
}

// Numbers in the caller's list may be out of range: the device wrote them.
void plan_external(ListEntry given) {
  if (given.instance >= plan.instance_count) return;
  uint at = state_at(given.instance);
  uint character = work_words[location_pair(given.instance)].x;
  if (character == kNoIndex || work_words[at - 1u].y == kNoIndex) return;
  uint posed = work_words[at].y;
  if ((plan.flags & kPlanSecondPart) != 0u && posed == kNoIndex) return;
  InstanceMemory memory = memory_of(given.instance);
  // The first invocation that comes takes the instance: it may be listed twice.
  uint shown = atomicExchange(memories[given.instance].shown, plan.frame);
  if (shown == plan.frame) return;
  uint state = given.state;
  if (plan_character(character).has_linear_blend == 0u) state &= ~kEntryLinearBlend;
  if ((plan.flags & kPlanSecondPart) != 0u) {
    state &= ~(kEntryStay | kEntryLinearBlend);
    memory.state &= ~kEntryLinearBlend;
    if ((posed & kEntryStay) != 0u) state |= kEntryStay;
    if ((posed & kEntryTeleport) != 0u) state |= kEntryTeleport;
    if ((posed & kEntryLinearBlend) != 0u) {
      state |= kEntryLinearBlend;
      memory.state |= kEntryLinearBlend;
    }
  }
  PlannedEntry planned = plan_entry(memory, state, plan.frame, plan.slots, (plan.flags & kPlanCopies) != 0u);
  memories[given.instance] = planned.memory;
  work_words[at].y = planned.state;
  if (planned.works) add_to_lists(ListEntry(given.instance, planned.state));
}

// Sets the state of an instance that is not listed.
void plan_unlisted(uint instance) {
  InstanceMemory memory = memory_of(instance);
  if (memory.shown == plan.frame) return;
  bool was_posed = (plan.flags & kPlanFirstPart) != 0u && memory.shown != 0u;
  work_words[state_at(instance)].y = was_posed ? kEntryStay | (memory.state & kEntryLinearBlend) : kNoIndex;
}

void make_lists() {
  for (uint l = gl_LocalInvocationIndex; l < plan.list_count; l += kPlanWorkgroupSize)
    work_words[plan.first_count + l] = uvec2(0u);
  memoryBarrierBuffer();
  barrier();
  uint count = min(external_list[0], plan.instance_count);
  for (uint i = gl_LocalInvocationIndex; i < count; i += kPlanWorkgroupSize)
    plan_external(ListEntry(external_list[1u + 2u * i], external_list[2u + 2u * i]));
  memoryBarrierBuffer();
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < plan.instance_count; i += kPlanWorkgroupSize) plan_unlisted(i);
}

// Writes the dispatch arguments of a step. If the device does not allow so many workgroups in x, they are spread over
// two dimensions (find_job.glsl).
void write_arguments(uint s, uint workgroups) {
  uint rows = max((workgroups + plan.most_workgroups - 1u) / plan.most_workgroups, 1u);
  arguments[3u * s] = (workgroups + rows - 1u) / rows;
  arguments[3u * s + 1u] = rows;
  arguments[3u * s + 2u] = 1u;
}

// Jobs of a dispatch have consecutive workgroups: each begins at the end of the one before.
void main() {
  make_lists();
  for (uint s = plan.first_step + gl_LocalInvocationIndex; s < plan.step_count; s += kPlanWorkgroupSize) {
    PlanStep step = plan_step(s);
    uint workgroups = 0u;
    for (uint j = step.first_job; j < step.first_job + step.job_count; ++j) {
      PlanJob job = plan_job(j);
      PlanList list = plan_list(job.list);
      uint count = min(work_words[plan.first_count + job.list].x, list.capacity);
      uint at = plan.first_start + kStartPairs * j;
      work_words[at] = uvec2(workgroups, count);
      work_words[at + 1u] = uvec2(list.first_in_list, reciprocal_of(count % kTileInstances));
      workgroups += job.blocks * count;
    }
    write_arguments(s, workgroups);
  }
}
