// SPDX-License-Identifier: MIT
// The plan of a frame as the host makes it: the work that shaders/crowd/plan.comp would write, and the workgroups of
// each dispatch. A frame whose instances the host knows needs no pass for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <pelt/shaders/jobs.h>

#include "runtime/crowd_plan.h"

namespace pelt::runtime {

class HostPlan {
 public:
  HostPlan() = default;
  // Frames follow `plan`, whose lists are placed (place_lists), until this is called again. `plan` stays as it is.
  void use(const CrowdPlan& plan);

  // Begins a frame whose starts and lists go to `work`, which has its places and jobs already.
  void begin(std::byte* work);
  // Lists an instance of a character. Precondition: begin() was called, and the instance was not listed since.
  void add(std::uint32_t character, shared::ListEntry entry);
  // Writes where each job starts, and counts the workgroups of each step.
  void finish();

  std::uint32_t workgroups(std::size_t step) const { return workgroups_[step]; }

 private:
  void append(std::uint32_t list, shared::ListEntry entry);

  const CrowdPlan* plan_ = nullptr;
  std::byte* work_ = nullptr;
  std::vector<std::uint32_t> counts_;      // for each list
  std::vector<std::uint32_t> workgroups_;  // for each step
};

}  // namespace pelt::runtime
