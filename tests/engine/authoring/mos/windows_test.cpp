// SPDX-License-Identifier: MIT
#include "engine/authoring/mos/windows.h"

#include <algorithm>
#include <numeric>

namespace pelt::mos {
namespace {

using testing::ElementsAre;

std::vector<std::uint32_t> numbers(std::size_t count) {
  std::vector<std::uint32_t> result(count);
  std::iota(result.begin(), result.end(), 0u);
  return result;
}

// Returns ascending numbers at uneven steps from 0.
std::vector<float> uneven(std::size_t count) {
  std::vector<float> result{0};
  for (std::size_t i = 1; i < count; ++i) result.push_back(result.back() + 0.3f + 0.5f * static_cast<float>(i % 3));
  return result;
}

TEST(MosWindows, EndsThatAreClampedCountThreeTimes) {
  EXPECT_THAT(windows_of(numbers(4), true), ElementsAre(Window{0, 0, 0, 1}, Window{0, 0, 1, 2}, Window{0, 1, 2, 3},
                                                        Window{1, 2, 3, 3}, Window{2, 3, 3, 3}));
  EXPECT_THAT(windows_of(numbers(4), false), ElementsAre(Window{0, 1, 2, 3}));
  EXPECT_EQ(windows_of(numbers(7), true).size(), 8u);
  EXPECT_THAT(windows_of(numbers(7), false),
              ElementsAre(Window{0, 1, 2, 3}, Window{1, 2, 3, 4}, Window{2, 3, 4, 5}, Window{3, 4, 5, 6}));
}

TEST(MosWindows, FewPointsAreClampedWhateverIsAsked) {
  for (const bool clamp : {false, true}) {
    EXPECT_THAT(windows_of(numbers(2), clamp), ElementsAre(Window{0, 0, 0, 1}, Window{0, 0, 1, 1}, Window{0, 1, 1, 1}));
    EXPECT_THAT(windows_of(numbers(3), clamp),
                ElementsAre(Window{0, 0, 0, 1}, Window{0, 0, 1, 2}, Window{0, 1, 2, 2}, Window{1, 2, 2, 2}));
    EXPECT_EQ(window_lengths(std::vector<float>{1, 3}, clamp).front(), 1);
    EXPECT_EQ(window_lengths(std::vector<float>{1, 3}, clamp).back(), 3);
  }
}

// Five points, 1 apart, turn by sixths on bones that are 10 long. The turn is even, but for its ends, from 3 before the
// joint to 3 after it. The second case has points closer together on one side.
TEST(MosWindows, SpreadABendAsFarAsTheirPointsTurn) {
  constexpr float kWithEnds = 3 / 0.9f;
  for (const float before : {1.0f, 0.5f}) {
    PointChain chain;
    chain.curve.anchors.resize(3);
    chain.curve.lengths = {0, 10, 20};
    for (int k = -6; k <= 6; ++k) {
      chain.points.push_back(static_cast<std::uint32_t>(chain.points.size()));
      chain.lengths.push_back(10 + static_cast<float>(k) * (k < 0 ? before : 1.0f));
      chain.bends.push_back(std::clamp(static_cast<float>(k + 3) / 6, 0.0f, 1.0f));
    }
    const std::vector<glm::vec2> reaches = turning_reaches(chain, true);
    ASSERT_EQ(reaches.size(), 3u);
    EXPECT_NEAR(reaches[1].x, kWithEnds * before, 0.15f);
    EXPECT_NEAR(reaches[1].y, kWithEnds, 0.15f);
    EXPECT_EQ(reaches[0], glm::vec2(0.0f));
    EXPECT_EQ(reaches[2], glm::vec2(0.0f));
    chain.bends.clear();
    EXPECT_EQ(turning_reaches(chain, true)[1], glm::vec2(0.0f)) << "listed by the rig";
  }
}

TEST(MosWindows, LengthsAreExactOnAStraightLine) {
  const glm::vec3 direction = glm::normalize(glm::vec3(1, -2, 3));
  for (const std::size_t count : {2u, 3u, 4u, 7u}) {
    for (const bool clamp : {false, true}) {
      SCOPED_TRACE(testing::Message() << count << ' ' << clamp);
      const std::vector<float> lengths = uneven(count);
      std::vector<glm::vec3> at;
      for (const float s : lengths) at.push_back(s * direction);
      const std::vector<Window> windows = windows_of(numbers(count), clamp);
      const std::vector<float> ends = window_lengths(lengths, clamp);
      ASSERT_EQ(ends.size(), windows.size() + 1);
      for (std::size_t w = 0; w < windows.size(); ++w) {
        EXPECT_LT(ends[w], ends[w + 1]);
        EXPECT_NEAR(glm::dot(place_in(at, windows[w], 0).point, direction), ends[w], 2e-6);
        EXPECT_NEAR(glm::dot(place_in(at, windows[w], 1).point, direction), ends[w + 1], 2e-6);
      }
      if (clamp || count < 4) {
        EXPECT_EQ(ends.front(), lengths.front());
        EXPECT_FLOAT_EQ(ends.back(), lengths.back());
      } else {
        EXPECT_GT(ends.front(), lengths.front());
        EXPECT_LT(ends.back(), lengths.back());
      }
    }
  }
}

TEST(MosWindows, LengthsAscendWherePointsStandTogether) {
  const std::vector<float> ends = window_lengths(std::vector<float>{2, 2, 2, 2, 2, 5}, true);
  for (std::size_t k = 1; k < ends.size(); ++k) EXPECT_LT(ends[k - 1], ends[k]) << k;
}

}  // namespace
}  // namespace pelt::mos
