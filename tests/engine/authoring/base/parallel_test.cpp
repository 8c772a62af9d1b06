// SPDX-License-Identifier: MIT
// Loops on threads, and lists of names in messages.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include <pelt/job_system.h>
#include <pelt/tools/parallel.h>

#include "engine/authoring/base/name_list.h"
#include "engine/authoring/base/stop.h"

namespace pelt {
namespace {

// --------------------------------------------------------------------------------------------------------- job systems

// Counts its loops, and calls the items one by one from the last to the first.
struct Backwards {
  std::size_t loops = 0;
  std::size_t last_grain = 0;

  JobSystem jobs() {
    return {.for_ranges =
                [](void* user, std::size_t count, std::size_t grain, const void* body, JobSystem::Call call) {
                  Backwards& backwards = *static_cast<Backwards*>(user);
                  ++backwards.loops;
                  backwards.last_grain = grain;
                  while (count-- > 0) call(body, count, count + 1);
                },
            .user = this};
  }
};

std::vector<std::size_t> visited(const JobSystem& jobs, std::size_t count, std::size_t grain) {
  std::vector<std::size_t> items;
  for_ranges(jobs, count, grain, [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) items.push_back(begin);
  });
  return items;
}

TEST(JobSystem, DividesLoopsThatHoldWorkForTwo) {
  Backwards backwards;
  EXPECT_EQ(visited(backwards.jobs(), 0, 1), (std::vector<std::size_t>{}));
  EXPECT_EQ(visited(backwards.jobs(), 3, 2), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(backwards.loops, 0u);
  EXPECT_EQ(visited(backwards.jobs(), 4, 2), (std::vector<std::size_t>{3, 2, 1, 0}));
  EXPECT_EQ(backwards.loops, 1u);
  EXPECT_EQ(backwards.last_grain, 2u);
}

TEST(JobSystem, WithoutOneTheCallerDoesTheWhole) {
  EXPECT_EQ(visited({}, 5, 1), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(JobSystem, ThreadsCoverEveryItem) {
  std::vector<int> hits(100000);
  for_ranges(thread_jobs(), hits.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) ++hits[begin];
  });
  EXPECT_EQ(hits, std::vector<int>(hits.size(), 1));
}

// ------------------------------------------------------------------------------------------------------ parallel loops

constexpr std::size_t kCounts[] = {0, 1, 2, 3, 63, 64, 65, 1234, 100000};
constexpr std::size_t kGrains[] = {0, 1, 7, 64, 5000};
constexpr unsigned kThreads[] = {0, 1, 2, 3, 7, 100};

struct Range {
  std::size_t begin;
  std::size_t end;
};

// Allows eight threads, however few cores the machine has.
class ParallelFor : public testing::Test {
 protected:
  template <class Function>
  void on_eight_threads(const Function& function) {
    arena_.execute(function);
  }

  // Returns the ranges of one loop, ascending.
  std::vector<Range> ranges_of(std::size_t count, std::size_t grain, unsigned threads) {
    std::mutex mutex;
    std::vector<Range> ranges;
    on_eight_threads([&] {
      parallel_for(count, grain, threads, [&](std::size_t begin, std::size_t end) {
        const std::lock_guard lock(mutex);
        ranges.push_back({begin, end});
      });
    });
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    return ranges;
  }

 private:
  tbb::global_control allowed_{tbb::global_control::max_allowed_parallelism, 8};
  tbb::task_arena arena_{8};
};

TEST_F(ParallelFor, CoversEveryItemOnceInRangesOfAGrain) {
  for (const std::size_t count : kCounts) {
    for (const std::size_t grain : kGrains) {
      for (const unsigned threads : kThreads) {
        SCOPED_TRACE(testing::Message() << count << " items, grain " << grain << ", " << threads << " threads");
        std::size_t covered = 0;
        for (const Range& range : ranges_of(count, grain, threads)) {
          ASSERT_EQ(range.begin, covered);
          ASSERT_GE(range.end - range.begin, std::min(count, std::max<std::size_t>(grain, 1)));
          covered = range.end;
        }
        ASSERT_EQ(covered, count);
      }
    }
  }
}

TEST_F(ParallelFor, SplitsWhereThereIsEnough) {
  EXPECT_EQ(ranges_of(0, 1, 0).size(), 0u);
  EXPECT_EQ(ranges_of(127, 64, 0).size(), 1u);
  EXPECT_EQ(ranges_of(128, 64, 0).size(), 2u);
  EXPECT_GT(ranges_of(100000, 64, 2).size(), 1u);
  EXPECT_EQ(ranges_of(100000, 64, 1).size(), 1u);
}

TEST_F(ParallelFor, OneThreadIsTheCallers) {
  on_eight_threads([] {
    const std::thread::id caller = std::this_thread::get_id();
    parallel_for(100000, 1, 1, [&](std::size_t, std::size_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
  });
}

TEST_F(ParallelFor, RunsOnNoMoreThreadsThanAskedFor) {
  for (const unsigned threads : {2u, 3u, 7u}) {
    std::mutex mutex;
    std::set<std::thread::id> running;
    std::size_t most = 0;
    on_eight_threads([&] {
      parallel_for(500, 1, threads, [&](std::size_t, std::size_t) {
        {
          const std::lock_guard lock(mutex);
          running.insert(std::this_thread::get_id());
          most = std::max(most, running.size());
        }
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        const std::lock_guard lock(mutex);
        running.erase(std::this_thread::get_id());
      });
    });
    EXPECT_LE(most, threads);
  }
}

// The results of the bodies are there when the loop returns, without a lock; the thread sanitizer checks it.
TEST_F(ParallelFor, MayBeCalledFromABody) {
  constexpr std::size_t kOuter = 64, kInner = 1234;
  for (const unsigned threads : {0u, 1u, 3u}) {
    std::vector<int> items(kOuter * kInner, 0);
    on_eight_threads([&] {
      parallel_for(kOuter, 1, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t outer = begin; outer < end; ++outer) {
          parallel_for(kInner, 16, threads, [&](std::size_t first, std::size_t last) {
            for (std::size_t inner = first; inner < last; ++inner) ++items[outer * kInner + inner];
          });
        }
      });
    });
    EXPECT_TRUE(std::all_of(items.begin(), items.end(), [](int item) { return item == 1; })) << threads;
  }
}

TEST(Stop, EndsLoopsOnAnyNumberOfThreads) {
  for (const unsigned threads : {1u, 2u, 0u}) {
    std::atomic<std::size_t> begun = 0;
    const auto loop = [&]() -> Result<void> {
      parallel_for(100'000, 1, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          ++begun;
          stop_if_asked();
        }
      });
      return {};
    };
    const Result<void> stopped = stoppable([&] { return begun > 10; }, loop);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::kStopped);
    EXPECT_LT(begun, 100'000u);
    begun = 0;
    EXPECT_TRUE(stoppable([] { return false; }, loop));
    EXPECT_EQ(begun, 100'000u);
    EXPECT_TRUE(stoppable({}, loop));
  }
  EXPECT_EQ(StopScope::current(), nullptr);
}

// A loop asks between its parts, though its body does not.
TEST(Stop, IsAskedByLoopsThemselves) {
  std::atomic<std::size_t> done = 0;
  const Result<void> stopped =
      stoppable([&] { return done > 0; },
                [&]() -> Result<void> {
                  parallel_for(1000, 10, 1, [&](std::size_t begin, std::size_t end) { done += end - begin; });
                  return {};
                });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(done, 10u);
}

// A request to stop that an inner call misses reaches the outer one.
TEST(Stop, ReachesThroughCallsThatAskNothing) {
  bool asked = false;
  const Result<void> stopped = stoppable([&] { return asked; },
                                         [&] {
                                           return stoppable({}, [&]() -> Result<void> {
                                             asked = true;
                                             stop_if_asked();
                                             return {};
                                           });
                                         });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message, "stopped");
}

// ------------------------------------------------------------------------------------------------------ lists of names

std::string listed(const std::vector<std::string>& names) {
  NameList list;
  for (const std::string& name : names) list.add(name);
  return list.text();
}

TEST(NameList, ShowsTheFirstAndCountsTheRest) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"arm", "leg"}), "'arm', 'leg'");
  EXPECT_EQ(listed({"a", "b", "c", "d", "e", "f"}), "'a', 'b', 'c', 'd' and 2 more");
}

TEST(NameList, CutsNamesBetweenLetters) {
  EXPECT_EQ(listed({std::string(101, 'a')}), "'" + std::string(100, 'a') + "'");
  EXPECT_EQ(listed({std::string(100, 'a')}), "'" + std::string(100, 'a') + "'");
  // A letter of two bytes, of which the second would be the 101st; one of three, of which the last two would be too
  // many.
  EXPECT_EQ(listed({std::string(99, 'a') + "\u00e4b"}), "'" + std::string(99, 'a') + "'");
  EXPECT_EQ(listed({std::string(98, 'a') + "\u20acb"}), "'" + std::string(98, 'a') + "'");
  EXPECT_EQ(listed({std::string(98, 'a') + "\u00e4b"}), "'" + std::string(98, 'a') + "\u00e4'");
  EXPECT_EQ(listed({std::string(200, '\x80')}), "''") << "which is no text";
}

}  // namespace
}  // namespace pelt
