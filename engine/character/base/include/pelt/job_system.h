// SPDX-License-Identifier: MIT
// How Pelt runs loops in parallel: a game lends its job system; Pelt starts no threads.
#pragma once

#include <cstddef>

namespace pelt {

// Distributes a loop over threads. Without `for_ranges`, loops run on the calling thread.
struct JobSystem {
  // The body of a loop: call(body, begin, end) processes items begin, ..., end - 1. It neither waits nor starts another
  // loop. Calls for different items may run at once, on any threads, in any order.
  using Call = void (*)(const void* body, std::size_t begin, std::size_t end);

  // Calls call(body, begin, end) over ranges that cover every item of [0, count) once, and returns when all calls have
  // returned. Meanwhile the calling thread waits, and may run ranges or other jobs of the game. As in any job system,
  // writes before the call must be visible to the ranges, and writes of the ranges must be visible after it. Results do
  // not depend on the split. `grain`: the number of items that are worth a job; shorter ranges are correct, but slower.
  // `body` is invalid after the return. Several evaluators may call this at once, from different threads.
  void (*for_ranges)(void* user, std::size_t count, std::size_t grain, const void* body, Call call) = nullptr;
  void* user = nullptr;
};

// Calls body(begin, end) over disjoint ranges that cover [0, count), on the job system if there is enough work for two.
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
