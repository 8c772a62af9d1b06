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

}  // namespace
}  // namespace pelt::surface_ffd
