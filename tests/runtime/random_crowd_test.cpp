// SPDX-License-Identifier: MIT
// PELT_SEEDS=COUNT or PELT_SEEDS=FIRST:COUNT runs other seeds than the test names.
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/runtime/crowd_pair.h"
#include "tests/support/gpu.h"

namespace pelt::runtime {
namespace {

constexpr std::uint32_t kFramesOfASeed = 20;
constexpr std::uint32_t kMaxFailures = 3;  // seeds

struct Seeds {
  std::uint32_t first = 1;
  std::uint32_t count = 0;
};

// Returns the seeds that PELT_SEEDS names, or the defaults.
Seeds seeds_or(Seeds seeds) {
  const char* const given = std::getenv("PELT_SEEDS");
  if (given == nullptr) return seeds;
  const std::string_view text(given);
  const std::size_t colon = text.find(':');
  const auto number = [](std::string_view digits) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    EXPECT_TRUE(error == std::errc() && end == digits.data() + digits.size()) << "PELT_SEEDS: " << digits;
    return value;
  };
  if (colon == std::string_view::npos) return {1, number(text)};
  return {number(text.substr(0, colon)), number(text.substr(colon + 1))};
}

class RandomCrowds : public testing::Test {
 protected:
  void SetUp() override { PELT_REQUIRE_GPU(test::gpu_device()); }

  static void expect_same_as_plain(Seeds seeds) {
    static const std::vector<Character> kinds = make_kinds();
    ASSERT_GT(seeds.count, 0u);
    std::printf("seeds %u to %u\n", seeds.first, seeds.first + seeds.count - 1);
    std::uint32_t failures = 0;
    for (std::uint32_t seed = seeds.first; seed < seeds.first + seeds.count && failures < kMaxFailures; ++seed) {
      CrowdPair pair(*test::gpu_device(), seed, kinds);
      bool same = true;
      for (std::uint32_t frame = 0; frame < kFramesOfASeed && same; ++frame) same = pair.frame(frame);
      EXPECT_TRUE(same) << "PELT_SEEDS=" << seed << ":1, " << pair.log();
      if (!same) ++failures;
    }
  }
};

TEST_F(RandomCrowds, ShowWhatAPlainOneShows) { expect_same_as_plain(seeds_or({1, 40})); }

TEST_F(RandomCrowds, ShowWhatAPlainOneShowsByManySeeds) { expect_same_as_plain(seeds_or({1000, 250})); }

}  // namespace
}  // namespace pelt::runtime
