// SPDX-License-Identifier: MIT
#include <algorithm>
#include <random>

#include <pelt/tools/triangle_tree.h>

#include "tests/support/tube.h"

namespace pelt {
namespace {

// Returns an upper bound of the squared distance, by brute force over sampled barycentric coordinates.
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

// Returns every distance, sorted: a search must find the same to the last bit.
std::vector<TriangleTree::Near> by_brute_force(const TriangleTree& tree, std::uint32_t triangle_count,
                                               std::size_t count, const glm::dvec3& point) {
  std::vector<TriangleTree::Near> all;
  for (std::uint32_t t = 0; t < triangle_count; ++t) all.push_back({t, tree.closest_point(t, point).squared_distance});
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.squared_distance < b.squared_distance; });
  all.resize(std::min(count, all.size()));
  return all;
}

// Checks searches of one point after the other, and of all at once.
void expect_nearest(const Mesh& mesh, std::size_t count, std::span<const glm::dvec3> points) {
  const TriangleTree tree = *TriangleTree::create(mesh.positions, mesh.triangles);
  std::vector<std::vector<TriangleTree::Near>> expected;
  std::vector<TriangleTree::Near> found;
  for (const glm::dvec3& p : points) {
    expected.push_back(by_brute_force(tree, static_cast<std::uint32_t>(mesh.triangles.size()), count, p));
    tree.nearest(p, count, found);
    ASSERT_EQ(found.size(), expected.back().size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      ASSERT_EQ(found[k].triangle, expected.back()[k].triangle) << k;
      ASSERT_EQ(found[k].squared_distance, expected.back()[k].squared_distance) << k;
    }
  }
  std::vector<int> visits(points.size(), 0);
  tree.nearest(points, count, [&](std::size_t i, std::span<const TriangleTree::NearPoint> near) {
    ++visits[i];
    ASSERT_EQ(near.size(), expected[i].size());
    for (std::size_t k = 0; k < near.size(); ++k) {
      ASSERT_EQ(near[k].triangle, expected[i][k].triangle) << i << ", " << k;
      const ClosestPoint closest = tree.closest_point(near[k].triangle, points[i]);
      ASSERT_EQ(near[k].closest.squared_distance, closest.squared_distance);
      ASSERT_EQ(near[k].closest.vertices, closest.vertices);
      ASSERT_EQ(near[k].closest.weights, closest.weights);
    }
  });
  EXPECT_EQ(visits, std::vector<int>(points.size(), 1));
}

// Returns points on vertices, edges and triangles, for which many tie; near the mesh; and far from it.
std::vector<glm::dvec3> points_round(const Mesh& mesh, double size, const glm::dvec3& centre) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> coordinate(-1, 1);
  const auto anywhere = [&] { return glm::dvec3(coordinate(random), coordinate(random), coordinate(random)); };
  std::vector<glm::dvec3> points;
  for (std::size_t i = 0; i < 30; ++i) {
    const glm::uvec3 t = mesh.triangles[i * 7 % mesh.triangles.size()];
    const glm::dvec3 a(mesh.positions[t.x]);
    const glm::dvec3 b(mesh.positions[t.y]);
    const glm::dvec3 c(mesh.positions[t.z]);
    for (const glm::dvec3& p : {a, (a + b) * 0.5, (a + b + c) / 3.0, a + 0.03 * size * anywhere()}) points.push_back(p);
    points.push_back(centre + size * anywhere());
    points.push_back(centre + 1e6 * size * anywhere());
  }
  return points;
}

class TriangleTreeScale : public testing::TestWithParam<float> {};

// In any unit and at any position.
TEST_P(TriangleTreeScale, NearestAreThoseOfBruteForce) {
  Mesh tube = test::make_tube_mesh({.around = 24, .along = 40});
  const glm::vec3 offset = glm::vec3(100, -50, 30) * GetParam();
  for (glm::vec3& p : tube.positions) p = p * GetParam() + offset;
  const std::vector<glm::dvec3> points = points_round(tube, 10.0 * GetParam(), offset);
  for (const std::size_t count : {1u, 33u}) expect_nearest(tube, count, points);
}

INSTANTIATE_TEST_SUITE_P(Scales, TriangleTreeScale, testing::Values(1e-18f, 1e-3f, 1.0f, 500.0f, 1e15f));

class TriangleTreeSize : public testing::TestWithParam<std::size_t> {};

TEST_P(TriangleTreeSize, AnyCountOfAnyNumber) {
  Mesh tube = test::make_tube_mesh({.around = 24, .along = 40});
  tube.triangles.resize(GetParam());
  const std::vector<glm::dvec3> points = points_round(tube, 10, glm::dvec3(0));
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, GetParam(), GetParam() + 1}) {
    expect_nearest(tube, count, points);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, TriangleTreeSize, testing::Values(1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 1234));

// More triangles than two levels of boxes hold; the last clusters and boxes are not full.
TEST(TriangleTree, NearestAreThoseOfBruteForceUnderManyBoxes) {
  Mesh tube = test::make_tube_mesh({.around = 64, .along = 90});
  tube.triangles.resize(tube.triangles.size() - 7);
  ASSERT_GT(tube.triangles.size(), 32u * 16 * 16);
  const std::vector<glm::dvec3> points = points_round(tube, 10, glm::dvec3(0));
  for (const std::size_t count : {1u, 40u}) expect_nearest(tube, count, points);
}

// Few points lie far apart, and many close together: blocks are of another size.
TEST(TriangleTree, FindsTheNearestOfFewAndOfMany) {
  const Mesh mesh = test::make_tube_mesh({.around = 64, .along = 90});
  const TriangleTree tree = *TriangleTree::create(mesh.positions, mesh.triangles);
  std::mt19937 random(7);
  std::uniform_real_distribution<float> coordinate(-2, 9);
  for (const std::size_t number : {0u, 1u, 3u, 40u, 41u, 3000u}) {
    std::vector<glm::vec3> points(number);
    for (glm::vec3& p : points) p = {coordinate(random), 0.3f * coordinate(random), 0.3f * coordinate(random)};
    std::vector<int> visits(number, 0);
    std::vector<TriangleTree::Near> expected;
    const std::vector<TriangleTree::NearPoint> nearest = tree.nearest_of_each(points, 3);
    ASSERT_EQ(nearest.size(), number);
    tree.nearest_of_each(points, 5, 1, [&](std::size_t i, std::span<const TriangleTree::NearPoint> near) {
      ++visits[i];
      tree.nearest(glm::dvec3(points[i]), 5, expected);
      ASSERT_EQ(near.size(), 5u);
      for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(near[k].triangle, expected[k].triangle) << number << ' ' << i;
      EXPECT_EQ(nearest[i].triangle, expected[0].triangle) << number << ' ' << i;
      EXPECT_EQ(nearest[i].closest.squared_distance, expected[0].squared_distance) << number << ' ' << i;
    });
    EXPECT_EQ(visits, std::vector<int>(number, 1));
  }
}

// All triangles that meet at a vertex are equally far from a point above it, and so are both sides of an edge.
TEST(TriangleTree, TrianglesTieToTheLastBitWhereTheyMeet) {
  std::vector<glm::vec3> positions{{0.1f, 0.7f, 0.3f}};
  std::vector<glm::uvec3> triangles;
  constexpr std::uint32_t kFan = 7;
  for (std::uint32_t i = 0; i < kFan; ++i) {
    const float angle = 0.9f * static_cast<float>(i);
    positions.emplace_back(std::cos(angle), 0.1f, std::sin(angle));
    triangles.emplace_back(i + 1, 0, (i + 1) % kFan + 1);
  }
  const TriangleTree tree = *TriangleTree::create(positions, triangles);
  const double above = tree.closest_point(0, {0.12, 3.1, 0.29}).squared_distance;
  for (std::uint32_t t = 1; t < kFan; ++t) {
    EXPECT_EQ(tree.closest_point(t, {0.12, 3.1, 0.29}).squared_distance, above);
  }
  const glm::dvec3 beside = 0.2 * glm::dvec3(positions[0]) + 0.8 * glm::dvec3(positions[2]) + glm::dvec3(0, 0.5, 0);
  EXPECT_EQ(tree.closest_point(0, beside).squared_distance, tree.closest_point(1, beside).squared_distance);
  EXPECT_NEAR(tree.closest_point(0, beside).weights[0], 0.5, 0.4) << "on the edge, not at an end";
}

TEST(TriangleTree, NoneOfNothing) {
  const Mesh tube = test::make_tube_mesh({.around = 12, .along = 20});
  const TriangleTree tree = *TriangleTree::create(tube.positions, tube.triangles);
  std::vector<TriangleTree::Near> found{{1, 2.0}};
  tree.nearest({0, 0, 0}, 0, found);
  EXPECT_TRUE(found.empty());
  tree.nearest({}, 5, [](std::size_t, std::span<const TriangleTree::NearPoint>) { FAIL(); });
}

}  // namespace
}  // namespace pelt
