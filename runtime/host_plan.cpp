// SPDX-License-Identifier: MIT
#include "runtime/host_plan.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace pelt::runtime {
namespace {

// Writes words / 2 `at` of the work: a list's entry or a job's start.
template <class Pair>
void write_pair(std::byte* work, std::size_t at, const Pair& pair) {
  static_assert(sizeof(Pair) == 2 * sizeof(std::uint32_t));
  std::memcpy(work + at * sizeof(Pair), &pair, sizeof(Pair));
}

}  // namespace

HostPlan::HostPlan(const CrowdPlan& plan)
    : plan_(&plan), counts_(plan.table.characters.size() * shared::kListKinds), workgroups_(plan.table.steps.size()) {}

void HostPlan::begin(std::byte* work) {
  work_ = work;
  std::fill(counts_.begin(), counts_.end(), 0);
}

void HostPlan::add(std::size_t character, shared::ListEntry entry) {
  const shared::PlanCharacter& own = plan_->table.characters[character];
  assert(entry.instance < own.capacity);
  for (std::uint32_t kind = 0; kind < shared::kListKinds; ++kind) {
    const std::size_t list = character * shared::kListKinds + kind;
    if (!plan_->table.list_is_read[list] || !shared::state_is_listed(entry.state, kind, own.has_fit != 0)) continue;
    write_pair(work_, own.first_list + kind * own.capacity + counts_[list]++, entry);
  }
}

void HostPlan::finish() {
  for (std::size_t s = 0; s < workgroups_.size(); ++s) {
    const shared::PlanStep& step = plan_->table.steps[s];
    std::uint32_t workgroups = 0;
    for (std::uint32_t j = step.first_job; j < step.first_job + step.job_count; ++j) {
      const shared::PlanJob& job = plan_->table.jobs[j];
      const std::uint32_t count = counts_[job.list];
      write_pair(work_, plan_->first_start + j, shared::JobStart{workgroups, count});
      workgroups += job.blocks * count;
    }
    workgroups_[s] = workgroups;
  }
}

}  // namespace pelt::runtime
