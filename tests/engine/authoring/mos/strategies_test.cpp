// SPDX-License-Identifier: MIT
// Tests the weights of points by their inverse distances and by radial bases.
#include "engine/authoring/mos/strategies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <pelt/mos.h>

#include "tests/engine/authoring/mos/scattered.h"
#include "tests/support/must.h"

namespace pelt::mos {
namespace {

using testing::HasSubstr;

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

TEST(InverseDistance, SharesAmongPointsAtOnePlace) {
  const std::vector<glm::dvec3> points{{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  expect_weights(inverse_distance_weights({0, 0, 0}, points, 2, 0, Cut::kContinuous), {1.0 / 3, 0, 1.0 / 3, 1.0 / 3});
  expect_weights(inverse_distance_weights({0, 0, 0}, points, 2, 2, Cut::kContinuous), {0.5, 0, 0.5, 0});
  expect_weights(inverse_distance_weights({2, 0, 0}, points, 1, 0, Cut::kContinuous), {0.2, 0.4, 0.2, 0.2});
  for (const std::uint32_t nearest : {0, 1, 2}) {
    expect_weights(inverse_distance_weights({1, 0, 0}, points, 2, nearest, Cut::kContinuous), {0, 1, 0, 0});
  }
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

std::vector<double> radial_basis_weights(const RadialBasis& basis, glm::dvec3 place) {
  std::vector<WeightedElement> row{{99, 5.0}};  // to be replaced
  basis.weights(place, row);
  std::vector<double> weights;
  for (const WeightedElement& element : row) {
    EXPECT_EQ(element.index, weights.size());
    weights.push_back(element.weight);
  }
  return weights;
}

TEST(RadialBasis, IsCardinalAndSumsToOne) {
  for (const MosKernel kernel : {MosKernel::kBiharmonic, MosKernel::kGaussian}) {
    for (const std::size_t count : {1, 2, 3, 64}) {
      const std::vector<glm::dvec3> points = scattered(count, 3);
      const auto basis = test::must(RadialBasis::create(points, kernel, std::nullopt));
      for (std::size_t k = 0; k < count; ++k) {
        const std::vector<double> weights = radial_basis_weights(basis, points[k]);
        ASSERT_EQ(weights.size(), count);
        for (std::size_t j = 0; j < count; ++j) EXPECT_NEAR(weights[j], j == k ? 1 : 0, 1e-9);
      }
      for (const glm::dvec3 place : {glm::dvec3(0.4), glm::dvec3(-1, 3, 2), glm::dvec3(0, 0, 100)}) {
        double sum = 0;
        for (const double weight : radial_basis_weights(basis, place)) sum += weight;
        EXPECT_NEAR(sum, 1, 1e-9);
      }
    }
  }
}

TEST(RadialBasis, HasTheGradientsOfItsWeights) {
  for (const MosKernel kernel : {MosKernel::kBiharmonic, MosKernel::kGaussian}) {
    const auto basis = test::must(RadialBasis::create(scattered(9, 3), kernel, std::nullopt));
    expect_gradients({0.4, 0.9, 0.2}, 9, 1e-6,
                     [&](glm::dvec3 place, std::vector<WeightedElement>& row) { basis.weights(place, row); });
  }
}

// Any field sum_k a_k kernel(p_k, .) + c with sum a = 0 is reproduced from its values at the points.
TEST(RadialBasis, ReproducesItsOwnFields) {
  const std::vector<glm::dvec3> points = scattered(5, 3);
  const std::vector<double> amounts{1, -2, 3, 0.5, -2.5};
  for (const MosKernel kernel : {MosKernel::kBiharmonic, MosKernel::kGaussian}) {
    const auto field = [&](glm::dvec3 place) {
      double value = 4;
      for (std::size_t k = 0; k < points.size(); ++k) {
        const double r = glm::distance(place, points[k]);
        value += amounts[k] * (kernel == MosKernel::kGaussian ? std::exp(-(r / 0.5) * (r / 0.5)) : r);
      }
      return value;
    };
    const auto basis = test::must(RadialBasis::create(points, kernel, 0.5f));
    for (const glm::dvec3 place : {glm::dvec3(0.1, 0.7, 0.4), glm::dvec3(-1, 0, 2)}) {
      const std::vector<double> weights = radial_basis_weights(basis, place);
      double value = 0;
      for (std::size_t k = 0; k < points.size(); ++k) value += weights[k] * field(points[k]);
      EXPECT_NEAR(value, field(place), 1e-9);
    }
  }
}

TEST(RadialBasis, BiharmonicWeightsDoNotDependOnTheUnit) {
  const std::vector<glm::dvec3> points = scattered(64, 3);
  const glm::dvec3 place(0.3, 0.2, 0.9);
  const std::vector<double> expected =
      radial_basis_weights(*RadialBasis::create(points, MosKernel::kBiharmonic, {}), place);
  for (const double unit : {1e-6, 1e9}) {
    std::vector<glm::dvec3> scaled;
    for (const glm::dvec3& point : points) scaled.push_back(point * unit);
    const auto basis = test::must(RadialBasis::create(scaled, MosKernel::kBiharmonic, std::nullopt));
    const std::vector<double> weights = radial_basis_weights(basis, place * unit);
    for (std::size_t j = 0; j < weights.size(); ++j) EXPECT_NEAR(weights[j], expected[j], 1e-9);
  }
}

TEST(RadialBasis, TakesTheMeanSpacingForTheWidth) {
  const std::vector<glm::dvec3> points{{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {6, 0, 0}};
  const auto automatic = test::must(RadialBasis::create(points, MosKernel::kGaussian, std::nullopt));
  EXPECT_DOUBLE_EQ(automatic.width(), (1 + 1 + 2 + 3) / 4.0);
  const auto given = test::must(RadialBasis::create(points, MosKernel::kGaussian, 0.75f));
  EXPECT_EQ(given.width(), 0.75);
}

TEST(RadialBasis, RefusesPointsThatCoincideNamingBoth) {
  std::vector<glm::dvec3> points = scattered(64, 3);
  points[40] = points[7];
  for (const MosKernel kernel : {MosKernel::kBiharmonic, MosKernel::kGaussian}) {
    const auto basis = RadialBasis::create(points, kernel, std::nullopt);
    ASSERT_FALSE(basis);
    EXPECT_EQ(basis.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(basis.error().message, "radial basis: control points 7 and 40 coincide");
  }
}

TEST(RadialBasis, RefusesWhatHasNoSolution) {
  const auto refusal = [](std::span<const glm::dvec3> points, std::optional<float> width) {
    const auto basis = RadialBasis::create(points, MosKernel::kGaussian, width);
    return basis ? std::string() : basis.error().message;
  };
  const std::vector<glm::dvec3> points = scattered(64, 3);
  EXPECT_THAT(refusal({}, {}), HasSubstr("no control points"));
  EXPECT_THAT(refusal(points, 0.0f), HasSubstr("the width is 0; it must be above 0"));
  EXPECT_THAT(refusal(points, -1.0f), HasSubstr("the width is -1; it must be above 0"));
  EXPECT_THAT(refusal(points, std::numeric_limits<float>::quiet_NaN()), HasSubstr("must be above 0"));
  EXPECT_THAT(refusal(points, std::numeric_limits<float>::infinity()), HasSubstr("must be above 0"));
  EXPECT_THAT(refusal(points, 1000.0f), HasSubstr("a width of 1000 is too large to separate the 64 control points"));
}

}  // namespace
}  // namespace pelt::mos
