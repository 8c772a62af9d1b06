// SPDX-License-Identifier: MIT
#include "engine/authoring/rows/morton_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace pelt {
namespace {

TEST(MortonOrder, IsAPermutation) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> unit(-1, 1);
  for (const std::size_t count : {0, 1, 2, 65, 1234}) {
    std::vector<glm::vec3> points;
    for (std::size_t i = 0; i < count; ++i)
      points.emplace_back(unit(random), unit(random), i % 3 == 0 ? 0 : unit(random));
    std::vector<std::uint32_t> order = morton_order(points);
    std::sort(order.begin(), order.end());
    std::vector<std::uint32_t> all(count);
    std::iota(all.begin(), all.end(), 0u);
    EXPECT_EQ(order, all);
  }
}

TEST(MortonOrder, NeighboursLieCloseTogether) {
  std::vector<glm::vec3> points;
  for (int i = 0; i < 64 * 64; ++i) points.emplace_back(i % 64, i / 64, 0);
  std::shuffle(points.begin(), points.end(), std::mt19937(3));
  const std::vector<std::uint32_t> order = morton_order(points);
  const auto mean_step = [&](const auto& number) {
    double sum = 0;
    for (std::size_t i = 1; i < points.size(); ++i) sum += glm::distance(points[number(i)], points[number(i - 1)]);
    return sum / static_cast<double>(points.size() - 1);
  };
  EXPECT_LT(mean_step([&](std::size_t i) { return order[i]; }), 2);
  EXPECT_GT(mean_step([](std::size_t i) { return i; }), 20);
}

}  // namespace
}  // namespace pelt
