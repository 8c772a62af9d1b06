// SPDX-License-Identifier: MIT
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include <pelt/tools/parallel.h>

#include "engine/authoring/base/stop.h"

namespace pelt {
namespace {

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

TEST_F(ParallelFor, MayBeCalledFromSeveralThreadsAtOnce) {
  std::vector<std::vector<int>> items(4, std::vector<int>(20000, 0));
  std::vector<std::thread> callers;
  for (std::size_t c = 0; c < items.size(); ++c) {
    callers.emplace_back([&items, c] {
      for (int round = 0; round < 20; ++round) {
        parallel_for(items[c].size(), 64, static_cast<unsigned>(c), [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) ++items[c][i];
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const std::vector<int>& of_one : items) {
    EXPECT_TRUE(std::all_of(of_one.begin(), of_one.end(), [](int item) { return item == 20; }));
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

}  // namespace
}  // namespace pelt
