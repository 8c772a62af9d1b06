// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <pelt/mos.h>

#include "engine/authoring/mos/strategies.h"
#include "tests/engine/authoring/mos/scattered.h"
#include "tests/support/must.h"

namespace pelt::mos {
namespace {

using testing::HasSubstr;

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
    for (const std::size_t count : {2, 3, 64}) {
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

TEST(RadialBasis, OfOnePointIsConstant) {
  const std::vector<glm::dvec3> point{{3, -1, 2}};
  for (const MosKernel kernel : {MosKernel::kBiharmonic, MosKernel::kGaussian}) {
    const auto basis = test::must(RadialBasis::create(point, kernel, std::nullopt));
    std::vector<WeightedElement> row;
    for (const glm::dvec3 place : {point[0], glm::dvec3(0), glm::dvec3(1e6)}) {
      basis.weights(place, row);
      ASSERT_EQ(row.size(), 1u);
      EXPECT_NEAR(row[0].weight, 1, 1e-12);
    }
  }
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
