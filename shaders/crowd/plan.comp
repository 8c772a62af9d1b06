// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "plan.h"

layout(local_size_x = kPlanWorkgroupSize) in;

layout(binding = kBindWork, scalar) coherent buffer Work { uvec2 work_words[]; };
layout(binding = kPlanBindGiven, scalar) readonly buffer Given { uint given[]; };
layout(binding = kPlanBindTable, scalar) readonly buffer Table { uint table[]; };
layout(binding = kPlanBindArguments, scalar) writeonly buffer Arguments { uvec3 arguments[]; };

layout(push_constant, scalar) uniform Constants { PlanConstants plan; };

shared uint list_ends[kListKinds];

PlanCharacter plan_character(uint i) {
  uint at = 4u * i;
  return PlanCharacter(table[at], table[at + 1u], table[at + 2u], table[at + 3u]);
}

PlanJob plan_job(uint i) {
  uint at = 4u * plan.character_count + 2u * i;
  return PlanJob(table[at], table[at + 1u]);
}

PlanStep plan_step(uint i) {
  uint at = 4u * plan.character_count + 2u * (plan.job_count + i);
  return PlanStep(table[at], table[at + 1u]);
}

void append(PlanCharacter character, uint kind, ListEntry entry) {
  uint place = atomicAdd(list_ends[kind], 1u);
  work_words[character.first_list + kind * character.capacity + place] = uvec2(entry.instance, entry.state);
}

// Numbers in the given list may be out of range: the device wrote them.
void make_lists(uint c) {
  PlanCharacter character = plan_character(c);
  if (gl_LocalInvocationIndex < kListKinds) list_ends[gl_LocalInvocationIndex] = 0u;
  barrier();
  uint count = min(given[c], character.capacity);
  for (uint i = gl_LocalInvocationIndex; i < count; i += kPlanWorkgroupSize) {
    uint at = character.first_given + 2u * i;
    ListEntry entry = ListEntry(given[at], given[at + 1u]);
    if (entry.instance >= character.capacity) continue;
    for (uint kind = 0u; kind < kListKinds; ++kind) {
      if (state_is_listed(entry.state, kind, character.has_fit != 0u)) append(character, kind, entry);
    }
  }
  barrier();
  if (gl_LocalInvocationIndex < kListKinds)
    work_words[plan.first_count + kListKinds * c + gl_LocalInvocationIndex] =
        uvec2(list_ends[gl_LocalInvocationIndex], 0u);
  barrier();
}

// If there are more workgroups than the device takes in x, they are spread over two dimensions (find_job.glsl).
uvec3 spread(uint workgroups) {
  uint rows = max((workgroups + plan.most_workgroups - 1u) / plan.most_workgroups, 1u);
  return uvec3((workgroups + rows - 1u) / rows, rows, 1u);
}

void main() {
  for (uint c = 0u; c < plan.character_count; ++c) make_lists(c);
  memoryBarrierBuffer();
  barrier();
  for (uint s = gl_LocalInvocationIndex; s < plan.step_count; s += kPlanWorkgroupSize) {
    PlanStep step = plan_step(s);
    uint workgroups = 0u;
    for (uint j = step.first_job; j < step.first_job + step.job_count; ++j) {
      PlanJob job = plan_job(j);
      uint count = work_words[plan.first_count + job.list].x;
      work_words[plan.first_start + j] = uvec2(workgroups, count);
      workgroups += job.blocks * count;
    }
    arguments[s] = spread(workgroups);
  }
}
