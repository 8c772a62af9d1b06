// SPDX-License-Identifier: MIT
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>

#include <pelt/tools/parallel.h>

#include "engine/authoring/base/stop.h"

#ifdef PELT_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace pelt {

namespace {

// The thread sanitizer does not see into TBB's library, so these calls declare TBB's guarantees: code before the loop
// happens before its ranges, and the ranges before code after the loop. Two ranges have no order.
#ifdef PELT_THREAD_SANITIZER
void happens_before(char& point) { __tsan_release(&point); }
void happens_after(char& point) { __tsan_acquire(&point); }
#else
void happens_before(char&) {}
void happens_after(char&) {}
#endif

// Declares it on leaving a scope, by an exception too.
struct HappensBefore {
  char& point;
  ~HappensBefore() { happens_before(point); }
};
struct HappensAfter {
  char& point;
  ~HappensAfter() { happens_after(point); }
};

// Does a range. If the work can be stopped, asks about every ten milliseconds, after parts that grow until they take
// that long: short parts cost a body more.
void do_range(std::size_t begin, std::size_t end, std::size_t grain, const StopAsked* asked, const void* body,
              JobSystem::Call call) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kShort(5), kLong(20);
  const StopScope scope(asked);
  if (asked == nullptr) return call(body, begin, end);
  for (std::size_t part = grain; begin < end;) {
    stop_if_asked();
    const std::size_t until = end - begin < 2 * part ? end : begin + part;
    const Clock::time_point start = Clock::now();
    call(body, begin, until);
    const Clock::duration took = Clock::now() - start;
    if (took < kShort) part *= 2;
    if (took > kLong) part = std::max(part / 2, grain);
    begin = until;
  }
}

}  // namespace

void detail::parallel_for(std::size_t count, std::size_t grain, unsigned threads, const void* body,
                          JobSystem::Call call) {
  if (count == 0) return;
  grain = std::max<std::size_t>(grain, 1);
  // A range is halved while it is longer than TBB's grain: for halves of at least `grain`, TBB's must be 2 grain - 1.
  const std::size_t divisible = 2 * grain - 1;
  if (threads == 1 || count <= divisible) {
    do_range(0, count, grain, StopScope::current(), body, call);
    return;
  }
  char loop_begin = 0;
  char loop_end = 0;
  const auto run = [&, asked = StopScope::current()] {
    const auto loop = [&] {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, divisible),
                        [&](const tbb::blocked_range<std::size_t>& range) {
                          happens_after(loop_begin);
                          const HappensBefore end{loop_end};
                          do_range(range.begin(), range.end(), grain, asked, body, call);
                        });
    };
    // A thread that waits for this loop takes no work of other loops, which ask another stop function.
    tbb::this_task_arena::isolate(loop);
  };
  happens_before(loop_begin);
  const HappensAfter done{loop_end};
  // A new arena costs microseconds: makes one only if the current arena has more threads than requested.
  if (threads == 0 || threads >= static_cast<unsigned>(tbb::this_task_arena::max_concurrency())) {
    run();
  } else {
    tbb::task_arena(static_cast<int>(threads)).execute(run);
  }
}

JobSystem thread_jobs(unsigned threads) {
  // The number itself is the user's pointer, so nothing is owned.
  return {.for_ranges =
              [](void* user, std::size_t count, std::size_t grain, const void* body, JobSystem::Call call) {
                const auto most = static_cast<unsigned>(std::bit_cast<std::uintptr_t>(user));
                detail::parallel_for(count, grain, most, body, call);
              },
          .user = std::bit_cast<void*>(std::uintptr_t{threads})};
}

}  // namespace pelt
