// SPDX-License-Identifier: MIT
#include <pelt/job_system.h>
#include <pelt/tools/parallel.h>

namespace pelt {
namespace {

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

}  // namespace
}  // namespace pelt
