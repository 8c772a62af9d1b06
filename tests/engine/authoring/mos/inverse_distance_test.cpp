// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/authoring/mos/strategies.h"
#include "tests/engine/authoring/mos/scattered.h"

namespace pelt::mos {
namespace {

// Returns one weight per point, 0 if the row has none.
std::vector<double> inverse_distance_weights(glm::dvec3 place, std::span<const glm::dvec3> points, double power,
                                             std::uint32_t nearest, Cut cut) {
  std::vector<WeightedElement> row{{99, 5.0}};  // to be replaced
  inverse_distance(place, points, power, nearest, cut, row);
  EXPECT_LE(row.size(), nearest == 0 ? points.size() : nearest);
  std::vector<double> weights(points.size(), 0.0);
  for (const WeightedElement& element : row) weights.at(element.index) += element.weight;
  return weights;
}

void expect_weights(const std::vector<double>& weights, const std::vector<double>& expected) {
  ASSERT_EQ(weights.size(), expected.size());
  for (std::size_t j = 0; j < weights.size(); ++j) EXPECT_NEAR(weights[j], expected[j], 1e-14) << j;
}

TEST(InverseDistance, FollowsTheFormula) {
  const std::vector<glm::dvec3> points{{1, 0, 0}, {0, 2, 0}, {0, 0, 4}};
  expect_weights(inverse_distance_weights({0, 0, 0}, points, 1, 0, Cut::kContinuous), {4.0 / 7, 2.0 / 7, 1.0 / 7});
  expect_weights(inverse_distance_weights({0, 0, 0}, points, 2, 0, Cut::kHard), {16.0 / 21, 4.0 / 21, 1.0 / 21});
  expect_weights(inverse_distance_weights({0, 0, 0}, points, 2, 2, Cut::kHard), {4.0 / 5, 1.0 / 5, 0});
  expect_weights(inverse_distance_weights({0, 0, 0}, points, 2, 2, Cut::kContinuous), {15.0 / 18, 3.0 / 18, 0});
}

TEST(InverseDistance, SumsToOneAndIsNowhereNegative) {
  for (const std::size_t count : {1, 2, 3, 64}) {
    const std::vector<glm::dvec3> points = scattered(count, 7);
    for (const std::uint32_t nearest : {0, 1, 2, 8, 63, 64, 65, 1234}) {
      for (const Cut cut : {Cut::kContinuous, Cut::kHard}) {
        for (const double power : {0.5, 2.0, 7.0}) {
          double sum = 0;
          for (const double weight : inverse_distance_weights({0.3, 1.4, -2}, points, power, nearest, cut)) {
            EXPECT_GE(weight, 0);
            sum += weight;
          }
          EXPECT_NEAR(sum, 1, 1e-14);
        }
      }
    }
  }
}

TEST(InverseDistance, GivesAPointAllOfTheWeightAtItsOwnPlace) {
  const std::vector<glm::dvec3> points = scattered(64, 7);
  for (const std::uint32_t nearest : {0, 1, 8}) {
    const std::vector<double> weights = inverse_distance_weights(points[17], points, 2, nearest, Cut::kContinuous);
    for (std::size_t j = 0; j < points.size(); ++j) EXPECT_EQ(weights[j], j == 17 ? 1.0 : 0.0);
  }
}

TEST(InverseDistance, SharesAmongPointsAtOnePlace) {
  const std::vector<glm::dvec3> points{{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  expect_weights(inverse_distance_weights({0, 0, 0}, points, 2, 0, Cut::kContinuous), {1.0 / 3, 0, 1.0 / 3, 1.0 / 3});
  expect_weights(inverse_distance_weights({0, 0, 0}, points, 2, 2, Cut::kContinuous), {0.5, 0, 0.5, 0});
  expect_weights(inverse_distance_weights({2, 0, 0}, points, 1, 0, Cut::kContinuous), {0.2, 0.4, 0.2, 0.2});
}

TEST(InverseDistance, LeavesTiesToTheLowerIndex) {
  const std::vector<glm::dvec3> points{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}};
  expect_weights(inverse_distance_weights({0, 0, 0}, points, 2, 2, Cut::kHard), {0.5, 0.5, 0, 0});
}

TEST(InverseDistance, OverflowsForNoPowerAndNoDistance) {
  const std::vector<glm::dvec3> points{{1, 0, 0}, {0, 2, 0}, {0, 0, 2}};
  for (const double unit : {1e-200, 1e-12, 1e12, 1e200}) {
    std::vector<glm::dvec3> scaled;
    for (const glm::dvec3& point : points) scaled.push_back(point * unit);
    expect_weights(inverse_distance_weights({0, 0, 0}, scaled, 2, 0, Cut::kContinuous), {4.0 / 6, 1.0 / 6, 1.0 / 6});
    expect_weights(inverse_distance_weights({0, 0, 0}, scaled, 1e6, 0, Cut::kContinuous), {1, 0, 0});
    expect_weights(inverse_distance_weights({0, 0, 0}, scaled, 1e6, 2, Cut::kContinuous), {1, 0, 0});
  }
}

TEST(InverseDistance, HasTheGradientsOfItsWeights) {
  const std::vector<glm::dvec3> points = scattered(20, 7);
  for (const std::uint32_t nearest : {0u, 8u, 20u}) {
    for (const Cut cut : {Cut::kContinuous, Cut::kHard}) {
      for (const double power : {0.5, 2.0}) {
        expect_gradients({0.3, 1.4, -2}, points.size(), 1e-8, [&](glm::dvec3 place, std::vector<WeightedElement>& row) {
          inverse_distance(place, points, power, nearest, cut, row);
        });
      }
    }
  }
}

// Along a line on which points change rank, a fine step changes no weight by much.
TEST(InverseDistance, ContinuousCutDoesNotJump) {
  const std::vector<glm::dvec3> points = scattered(64, 7);
  const auto largest_step = [&](Cut cut) {
    constexpr int kSteps = 20000;
    double largest = 0;
    std::vector<double> before;
    for (int i = 0; i <= kSteps; ++i) {
      const double t = static_cast<double>(i) / kSteps;
      const std::vector<double> now = inverse_distance_weights({t, 0.37, 0.61 - 0.2 * t}, points, 2, 8, cut);
      for (std::size_t j = 0; j < before.size(); ++j) largest = std::max(largest, std::abs(now[j] - before[j]));
      before = now;
    }
    return largest;
  };
  EXPECT_LT(largest_step(Cut::kContinuous), 0.004);
  EXPECT_GT(largest_step(Cut::kHard), 0.02);
}

}  // namespace
}  // namespace pelt::mos
