// SPDX-License-Identifier: MIT
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include <pelt/tools/parallel.h>

#ifdef PELT_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace pelt {

namespace {

// The thread sanitizer does not see into TBB's library, so these calls tell it what TBB guarantees: code before the
// loop happens before its ranges, and the ranges before code after the loop. Two ranges have no order.
#ifdef PELT_THREAD_SANITIZER
void happens_before(char& point) { __tsan_release(&point); }
void happens_after(char& point) { __tsan_acquire(&point); }
#else
void happens_before(char&) {}
void happens_after(char&) {}
#endif

}  // namespace

void detail::parallel_for(std::size_t count, std::size_t grain, unsigned threads, const void* body,
                          JobSystem::Call call) {
  if (count == 0) return;
  grain = std::max<std::size_t>(grain, 1);
  // A range is halved while it is longer than TBB's grain: for halves of at least `grain`, TBB's must be 2 grain - 1.
  const std::size_t divisible = 2 * grain - 1;
  if (threads == 1 || count <= divisible) {
    call(body, 0, count);
    return;
  }
  char loop_begin = 0;
  char loop_end = 0;
  const auto run = [&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, divisible),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                        happens_after(loop_begin);
                        call(body, range.begin(), range.end());
                        happens_before(loop_end);
                      });
  };
  happens_before(loop_begin);
  // A new arena costs microseconds: make one only if the current arena has more threads than asked for.
  if (threads == 0 || threads >= static_cast<unsigned>(tbb::this_task_arena::max_concurrency())) {
    run();
  } else {
    tbb::task_arena(static_cast<int>(threads)).execute(run);
  }
  happens_after(loop_end);
}

JobSystem thread_jobs(unsigned threads) {
  // The number itself is the user's pointer: there is nothing to own.
  return {.for_ranges =
              [](void* user, std::size_t count, std::size_t grain, const void* body, JobSystem::Call call) {
                const auto most = static_cast<unsigned>(std::bit_cast<std::uintptr_t>(user));
                detail::parallel_for(count, grain, most, body, call);
              },
          .user = std::bit_cast<void*>(std::uintptr_t{threads})};
}

}  // namespace pelt
