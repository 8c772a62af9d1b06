// SPDX-License-Identifier: MIT
#include "runtime/plan/free_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace pelt::runtime {
namespace {

struct Taken {
  std::uint64_t first;
  std::uint64_t size;
};

// Returns the free parts, from those that are taken.
std::vector<Taken> gaps(std::vector<Taken> taken, std::uint64_t size) {
  std::sort(taken.begin(), taken.end(), [](const Taken& a, const Taken& b) { return a.first < b.first; });
  std::vector<Taken> free;
  std::uint64_t at = 0;
  for (const Taken& part : taken) {
    EXPECT_LE(at, part.first) << "parts overlap";
    if (part.first > at) free.push_back({at, part.first - at});
    at = part.first + part.size;
  }
  EXPECT_LE(at, size);
  if (at < size) free.push_back({at, size - at});
  return free;
}

TEST(FreeRanges, TakeTheFirstPartThatIsLargeEnough) {
  constexpr std::uint64_t kSize = 1000;
  std::mt19937 random(5);
  FreeRanges ranges(kSize, 1000);
  std::vector<Taken> taken;
  for (int step = 0; step < 20000; ++step) {
    const std::vector<Taken> free = gaps(taken, kSize);
    std::uint64_t sum = 0;
    std::uint64_t largest = 0;
    for (const Taken& part : free) {
      sum += part.size;
      largest = std::max(largest, part.size);
    }
    ASSERT_EQ(ranges.free(), sum);
    ASSERT_EQ(ranges.largest_free(), largest);
    if (random() % 2 == 0 && !taken.empty()) {
      const std::size_t which = random() % taken.size();
      ranges.give_back(taken[which].first, taken[which].size);
      taken.erase(taken.begin() + std::ptrdiff_t(which));
      continue;
    }
    const std::uint64_t size = 1 + random() % 60;
    const std::uint64_t alignment = std::uint64_t{1} << random() % 4;
    const auto fits = std::find_if(free.begin(), free.end(), [&](const Taken& part) {
      const std::uint64_t first = (part.first + alignment - 1) / alignment * alignment;
      return first + size <= part.first + part.size;
    });
    const auto first = ranges.take(size, alignment);
    ASSERT_EQ(first.has_value(), fits != free.end());
    if (!first) continue;
    ASSERT_EQ(*first, (fits->first + alignment - 1) / alignment * alignment);
    taken.push_back({*first, size});
  }
}

TEST(FreeRanges, HaveNothingToTakeOfNothing) {
  FreeRanges none;
  EXPECT_EQ(none.take(0), 0u);
  EXPECT_FALSE(none.take(1));
  none.give_back(0, 0);
  EXPECT_EQ(none.free(), 0u);
  FreeRanges some(8);
  EXPECT_FALSE(some.take(UINT64_MAX));
  EXPECT_FALSE(some.take(9));
  EXPECT_EQ(some.take(8, 64), 0u);
  EXPECT_FALSE(some.take(1, 64));
}

}  // namespace
}  // namespace pelt::runtime
