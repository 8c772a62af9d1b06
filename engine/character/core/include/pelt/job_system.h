// SPDX-License-Identifier: MIT
// How Pelt divides work among threads without starting any: a game gives it the job system that it has.
#pragma once

#include <cstddef>

namespace pelt {

// What divides a loop among threads. Without `for_ranges` loops run on the calling thread.
struct JobSystem {
  // One loop's body: call(body, begin, end) does its items begin, ..., end - 1. It waits for nothing and starts no
  // other loop. Calls for different items may run at once, on any threads, in any order.
  using Call = void (*)(const void* body, std::size_t begin, std::size_t end);

  // Calls call(body, begin, end) over ranges that cover [0, count), every item once, and returns when all have
  // returned: the thread that asked waits here, and may do ranges or other jobs of the game meanwhile. What it wrote
  // before must be visible to the ranges, and what they wrote to it afterwards, as any job system does it. Results do
  // not depend on the split. `grain` is the number of items that are worth a job: shorter ranges are right and slower.
  // `body` is gone once this returns. Threads that use several evaluators at once call this at once.
  void (*for_ranges)(void* user, std::size_t count, std::size_t grain, const void* body, Call call) = nullptr;
  void* user = nullptr;
};

// Calls body(begin, end) over disjoint ranges that cover [0, count), by the job system where there is work for two.
// Neither copies nor allocates.
template <class Body>
void for_ranges(const JobSystem& jobs, std::size_t count, std::size_t grain, const Body& body) {
  if (count == 0) return;
  if (jobs.for_ranges == nullptr || count / 2 < grain) return body(std::size_t{0}, count);
  jobs.for_ranges(
      jobs.user, count, grain == 0 ? 1 : grain, &body,
      [](const void* object, std::size_t begin, std::size_t end) { (*static_cast<const Body*>(object))(begin, end); });
}

}  // namespace pelt
