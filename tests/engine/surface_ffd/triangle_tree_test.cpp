// SPDX-License-Identifier: MIT
#include "engine/surface_ffd/triangle_tree.h"

#include <algorithm>
#include <random>

#include "tests/support/tube.h"

namespace pelt {
namespace {

// By brute force over sampled barycentric coordinates: an upper bound of the squared distance.
double sampled_distance(const glm::dvec3& p, const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) {
  double least = std::numeric_limits<double>::infinity();
  constexpr int kSteps = 60;
  for (int i = 0; i <= kSteps; ++i) {
    for (int j = 0; i + j <= kSteps; ++j) {
      const double u = static_cast<double>(i) / kSteps;
      const double v = static_cast<double>(j) / kSteps;
      const glm::dvec3 d = p - (a * (1 - u - v) + b * u + c * v);
      least = std::min(least, glm::dot(d, d));
    }
  }
  return least;
}

TEST(TriangleTree, RefusesNothing) { EXPECT_FALSE(TriangleTree::create({}, {})); }

TEST(TriangleTree, ClosestPointIsTheClosest) {
  const std::vector<glm::vec3> positions{{0, 0, 0}, {2, 0, 0}, {0.3f, 1, 0}};
  const std::vector<glm::uvec3> triangles{{2, 0, 1}};
  const TriangleTree tree = *TriangleTree::create(positions, triangles);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> coordinate(-2, 3);
  for (int i = 0; i < 200; ++i) {
    const glm::dvec3 p(coordinate(random), coordinate(random), coordinate(random));
    const ClosestPoint closest = tree.closest_point(0, p);
    glm::dvec3 point(0);
    for (int c = 0; c < 3; ++c) {
      EXPECT_GE(closest.weights[c], 0);
      point += closest.weights[c] * glm::dvec3(positions[closest.vertices[c]]);
    }
    EXPECT_NEAR(closest.weights[0] + closest.weights[1] + closest.weights[2], 1, 1e-12);
    EXPECT_NEAR(glm::dot(p - point, p - point), closest.squared_distance, 1e-12);
    const double sampled = sampled_distance(p, positions[0], positions[1], positions[2]);
    EXPECT_LE(closest.squared_distance, sampled + 1e-12);
    EXPECT_NEAR(std::sqrt(closest.squared_distance), std::sqrt(sampled), 0.02);
  }
}

class TriangleTreeScale : public testing::TestWithParam<float> {};

// The hierarchy must propose every triangle that a search through all of them finds, whatever the units and the place.
TEST_P(TriangleTreeScale, NearestAgreeWithAllTriangles) {
  Mesh tube = test::make_tube_mesh({.around = 24, .along = 40});
  const glm::vec3 offset = glm::vec3(100, -50, 30) * GetParam();
  for (glm::vec3& p : tube.positions) p = p * GetParam() + offset;
  const TriangleTree tree = *TriangleTree::create(tube.positions, tube.triangles);
  std::vector<TriangleTree::Near> some;
  std::vector<TriangleTree::Near> all;
  std::mt19937 random(5);
  std::uniform_real_distribution<float> coordinate(-2, 10);
  for (int i = 0; i < 100; ++i) {
    // On vertices, where six triangles tie; and anywhere.
    const glm::dvec3 p =
        i % 2 == 0
            ? glm::dvec3(tube.positions[static_cast<std::size_t>(i) * 7])
            : glm::dvec3(glm::vec3(coordinate(random), coordinate(random), coordinate(random)) * GetParam() + offset);
    tree.nearest(p, tube.triangles.size(), all);
    ASSERT_EQ(all.size(), tube.triangles.size());
    for (const double hint : {std::numeric_limits<double>::infinity(), 1e-9 * GetParam(), 3.0 * GetParam()}) {
      tree.nearest(p, 33, some, hint);
      ASSERT_EQ(some.size(), 33u);
      for (std::size_t k = 0; k < some.size(); ++k) {
        EXPECT_EQ(some[k].triangle, all[k].triangle);
        EXPECT_EQ(some[k].squared_distance, all[k].squared_distance);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scales, TriangleTreeScale, testing::Values(1e-3f, 1.0f, 500.0f));

}  // namespace
}  // namespace pelt
