// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/precision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pelt::surface_ffd {
namespace {

struct Problem {
  std::vector<double> given;
  std::vector<std::vector<double>> features;  // features of each entry
  std::vector<double> mean;
  double stiffness = 500;
};

std::vector<double> solved(const Problem& problem) {
  RowFit fit;
  fit.begin(problem.mean.size());
  for (std::size_t i = 0; i < problem.mean.size(); ++i) fit.want(i, problem.mean[i], problem.stiffness);
  for (std::size_t j = 0; j < problem.given.size(); ++j) {
    std::ranges::copy(problem.features[j], fit.add(problem.given[j]));
  }
  return fit.solve();
}

double objective(const Problem& problem, const std::vector<double>& weights) {
  double value = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double q = problem.given[j];
    value += (weights[j] - q) * (weights[j] - q) / q;
  }
  for (std::size_t i = 0; i < problem.mean.size(); ++i) {
    double mean = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) mean += weights[j] * problem.features[j][i];
    value += problem.stiffness * (mean - problem.mean[i]) * (mean - problem.mean[i]);
  }
  return value;
}

Problem random_problem(std::mt19937& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  Problem problem;
  problem.mean = {0, 0, unit(random), unit(random)};
  constexpr int kCount = 20;
  for (int j = 0; j < kCount; ++j) {
    problem.given.push_back((0.01 + unit(random)) / kCount);
    problem.features.push_back({4 * unit(random) - 2, 4 * unit(random) - 2, unit(random), unit(random)});
  }
  return problem;
}

TEST(RowFit, ReproducesAPlaceAmongTheEntries) {
  const Problem problem{{0.25, 0.25, 0.25, 0.25}, {{-1, -1}, {2, -1}, {-1, 2}, {2, 2}}, {0, 0}, 1e6};
  const std::vector<double> weights = solved(problem);
  double x = 0, y = 0, sum = 0;
  for (std::size_t j = 0; j < 4; ++j) {
    x += weights[j] * problem.features[j][0];
    y += weights[j] * problem.features[j][1];
    sum += weights[j];
  }
  EXPECT_NEAR(x, 0, 1e-5);
  EXPECT_NEAR(y, 0, 1e-5);
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(RowFit, ChangesNothingThatFitsAlready) {
  const Problem problem{{0.5, 0.25, 0.25}, {{0}, {1}, {-1}}, {0}, 500};
  const std::vector<double> weights = solved(problem);
  EXPECT_NEAR(weights[0], 0.5, 1e-12);
  EXPECT_NEAR(weights[1], 0.25, 1e-12);
}

// No weights near the solution, >= 0 and of sum 1, are better: tries moving weight between every pair of entries.
TEST(RowFit, IsTheBestOfAllWeights) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const Problem problem = random_problem(random);
    const std::vector<double> weights = solved(problem);
    const double best = objective(problem, weights);
    for (const double weight : weights) EXPECT_GE(weight, 0);
    for (std::size_t a = 0; a < weights.size(); ++a) {
      for (std::size_t b = 0; b < weights.size(); ++b) {
        const double step = std::min(1e-4, weights[a]);
        if (a == b || step == 0) continue;
        std::vector<double> other = weights;
        other[a] -= step;
        other[b] += step;
        ASSERT_GT(objective(problem, other), best - 1e-9) << trial;
      }
    }
  }
}

// An entry without weight in the solution may be left out.
TEST(RowFit, DoesNotNeedWhatItGivesNoWeight) {
  std::mt19937 random(11);
  int left_out = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const Problem problem = random_problem(random);
    const std::vector<double> weights = solved(problem);
    Problem less{{}, {}, problem.mean, problem.stiffness};
    std::vector<double> expected;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (weights[j] < 1e-12) continue;
      less.given.push_back(problem.given[j]);
      less.features.push_back(problem.features[j]);
      expected.push_back(weights[j]);
    }
    left_out += less.given.size() < weights.size() ? 1 : 0;
    const std::vector<double> again = solved(less);
    for (std::size_t j = 0; j < again.size(); ++j) EXPECT_NEAR(again[j], expected[j], 1e-7) << trial;
  }
  EXPECT_GT(left_out, 10);
}

}  // namespace
}  // namespace pelt::surface_ffd
