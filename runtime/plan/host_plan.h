// SPDX-License-Identifier: MIT
// Plans a frame on the host: writes the work that shaders/crowd/plan.comp would write, and counts the workgroups of
// each dispatch. If the host knows the instances, no planning pass is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/plan/crowd_plan.h"

namespace pelt::runtime {

class HostPlan {
 public:
  HostPlan() = default;
  // Sets the plan of the following frames. `plan` must stay unchanged until the next use().
  void use(const CrowdPlan& plan);

  // Begins a frame. Starts and lists go to `work`, which already contains locations and jobs.
  void begin(std::byte* work);
  // Lists an instance of a character. Precondition: not listed since begin().
  void add(std::uint32_t character, shared::ListEntry entry);
  // Writes the start of each job, and counts the workgroups of each step.
  void finish();

  std::uint32_t workgroups(std::size_t step) const { return workgroups_[step]; }

 private:
  void append(std::uint32_t list, shared::ListEntry entry);

  const CrowdPlan* plan_ = nullptr;
  std::byte* work_ = nullptr;
  std::vector<std::uint32_t> ends_;        // the index of the next entry of each list
  std::vector<std::uint32_t> workgroups_;  // for each step
};

}  // namespace pelt::runtime
