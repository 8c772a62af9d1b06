// SPDX-License-Identifier: MIT
#include "runtime/plan/host_plan.h"

#include <cassert>
#include <cstring>

namespace pelt::runtime {
namespace {

// Writes a list entry or a job's start to the work from word 2 `at` on.
template <class Value>
void write_pairs(std::byte* work, std::size_t at, const Value& value) {
  std::memcpy(work + at * 2 * sizeof(std::uint32_t), &value, sizeof(Value));
}

}  // namespace

void HostPlan::use(const CrowdPlan& plan) {
  plan_ = &plan;
  ends_.resize(plan.table.lists.size());
  workgroups_.assign(plan.table.steps.size(), 0);
}

void HostPlan::begin(std::byte* work) {
  work_ = work;
  for (std::size_t l = 0; l < ends_.size(); ++l) ends_[l] = plan_->table.lists[l].first_in_list;
}

void HostPlan::append(std::uint32_t list, shared::ListEntry entry) {
  std::uint32_t& end = ends_[list];
  if (end == shared::kNoIndex) return;  // no job reads it
  assert(end < plan_->table.lists[list].first_in_list + plan_->table.lists[list].capacity);
  write_pairs(work_, end++, entry);
}

void HostPlan::add(std::uint32_t character, shared::ListEntry entry) {
  const shared::PlanCharacter& planned = plan_->table.characters[character];
  if (shared::state_is_deformed(entry.state)) append(planned.first_list + shared::kListDeformed, entry);
  append(planned.first_list + shared::kListLevels, entry);  // the first range has all levels
  for (std::uint32_t r = 1; r < planned.levels_count; ++r) {
    const shared::PlanLevels& levels = plan_->table.levels[planned.first_levels + r];
    if (shared::entry_shows(entry.state, levels.first, levels.last))
      append(planned.first_list + shared::kListLevels + r, entry);
  }
}

void HostPlan::finish() {
  for (std::size_t s = 0; s < workgroups_.size(); ++s) {
    const shared::PlanStep& step = plan_->table.steps[s];
    std::uint32_t workgroups = 0;
    for (std::uint32_t j = step.first_job; j < step.first_job + step.job_count; ++j) {
      const shared::PlanJob& job = plan_->table.jobs[j];
      const std::uint32_t first = plan_->table.lists[job.list].first_in_list;
      const std::uint32_t count = ends_[job.list] - first;
      write_pairs(work_, plan_->first_start + shared::kStartPairs * j,
                  shared::JobStart{workgroups, count, first, shared::reciprocal_of(count % shared::kTileInstances)});
      workgroups += job.blocks * count;
    }
    workgroups_[s] = workgroups;
  }
}

}  // namespace pelt::runtime
