// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include <pelt/job_system.h>

namespace pelt {

namespace detail {
// Passes `body` as a plain function and its object, without a copy or an allocation.
void parallel_for(std::size_t count, std::size_t grain, unsigned threads, const void* body, JobSystem::Call call);
}  // namespace detail

// Calls body(begin, end) over disjoint ranges that cover [0, count), on up to `threads` threads (0: all CPUs), and
// returns when all are done. Ranges hold at least `grain` items. The split may differ between runs; a body that writes
// only to its own items makes results independent of the thread count. A single thread is the caller's and allocates
// nothing.
template <class Body>
void parallel_for(std::size_t count, std::size_t grain, unsigned threads, const Body& body) {
  detail::parallel_for(count, grain, threads, &body, [](const void* object, std::size_t begin, std::size_t end) {
    (*static_cast<const Body*>(object))(begin, end);
  });
}

// Returns the same as a job system for evaluators and uploads.
JobSystem thread_jobs(unsigned threads = 0);

}  // namespace pelt
