// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <glm/glm.hpp>
#include <random>
#include <vector>

#include <pelt/sparse_rows.h>

namespace pelt::mos {

// Returns random points in the unit cube.
inline std::vector<glm::dvec3> scattered(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto coordinate = [&] { return static_cast<double>(random()) / 4294967296.0; };
  std::vector<glm::dvec3> points;
  for (std::size_t i = 0; i < count; ++i) points.emplace_back(coordinate(), coordinate(), coordinate());
  return points;
}

// Expects the gradients of `count` weights at `place` to be those of central differences. `weigh(place, row)`: replaces
// the row.
template <class Weigh>
void expect_gradients(glm::dvec3 place, std::size_t count, double tolerance, const Weigh& weigh) {
  constexpr double kStep = 1e-6;
  const auto weights = [&](glm::dvec3 at) {
    std::vector<WeightedElement> row;
    weigh(at, row);
    std::vector<double> all(count, 0.0);
    for (const WeightedElement& element : row) all.at(element.index) += element.weight;
    return all;
  };
  std::vector<WeightedElement> row;
  weigh(place, row);
  std::vector<glm::dvec3> gradients(count, glm::dvec3(0));
  for (const WeightedElement& element : row) gradients.at(element.index) += element.gradient;
  for (int c = 0; c < 3; ++c) {
    glm::dvec3 step(0);
    step[c] = kStep;
    const std::vector<double> more = weights(place + step);
    const std::vector<double> less = weights(place - step);
    for (std::size_t j = 0; j < count; ++j) {
      EXPECT_NEAR(gradients[j][c], (more[j] - less[j]) / (2 * kStep), tolerance) << j << ' ' << c;
    }
  }
}

}  // namespace pelt::mos
