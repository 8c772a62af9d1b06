// SPDX-License-Identifier: MIT
#include "engine/character/triangle.h"

#include <gtest/gtest.h>

#include <random>

namespace pelt {
namespace {

std::optional<TriangleRay::Hit> hit_of(const TriangleRay& ray, const Corners& corners) {
  return TriangleRay::meet(ray.seen(corners.a), ray.seen(corners.b), ray.seen(corners.c));
}

class Random {
 public:
  glm::dvec3 point() { return {number(), number(), number()}; }
  double number() { return number_(random_); }

 private:
  std::mt19937 random_{5};
  std::uniform_real_distribution<double> number_{-1, 1};
};

// Moeller & Trumbore 1997: solves for the distance and two shares by Cramer's rule.
TEST(TriangleRay, HitsWhatLinearEquationsHit) {
  Random random;
  int hits = 0;
  for (int i = 0; i < 20000; ++i) {
    const Corners corners{random.point(), random.point(), random.point()};
    const glm::dvec3 origin = 2.0 * random.point();
    glm::dvec3 direction = glm::normalize(corners.a + random.point() - origin);
    if (i % 8 == 0) direction = glm::dvec3(i % 3 == 0, i % 3 == 1, i % 3 == 2) * (i % 16 == 0 ? 1.0 : -1.0);
    const glm::dmat3 system(-direction, corners.b - corners.a, corners.c - corners.a);
    const glm::dvec3 solution = glm::inverse(system) * (origin - corners.a);
    const bool expected = solution.x >= 0 && solution.y >= 0 && solution.z >= 0 && solution.y + solution.z <= 1;
    const auto hit = hit_of(TriangleRay(origin, direction), corners);
    ASSERT_EQ(hit.has_value(), expected) << i;
    if (!hit) continue;
    ++hits;
    ASSERT_NEAR(hit->distance, solution.x, 1e-9);
    ASSERT_LT(glm::distance(corners.point(hit->barycentric), origin + hit->distance * direction), 1e-9);
  }
  EXPECT_GT(hits, 1000);
}

// Rays at the edges and corners of a closed fan, as floats round them, hit at least one of its triangles.
TEST(TriangleRay, PassesNeitherBetweenTrianglesNorAtCorners) {
  Random random;
  const glm::dvec3 middle(0.1, 0.2, 0.3);
  for (int i = 0; i < 5000; ++i) {
    glm::dvec3 rim[6];
    for (int k = 0; k < 6; ++k) {
      const double turn = (k + 0.4 * random.number()) * glm::radians(60.0);
      rim[k] = glm::dvec3(glm::vec3(middle + glm::dvec3(std::cos(turn), std::sin(turn), 0.3 * random.number())));
    }
    const glm::dvec3 target = i % 2 == 0 ? middle : glm::mix(middle, rim[i % 6], 0.3 + 0.2 * random.number());
    const glm::dvec3 origin = glm::dvec3(glm::vec3(0.3 * random.number(), 0.3 * random.number(), 5));
    const TriangleRay ray(origin, glm::normalize(glm::dvec3(glm::vec3(target - origin))));
    int hits = 0;
    for (int k = 0; k < 6; ++k) hits += hit_of(ray, {middle, rim[k], rim[(k + 1) % 6]}).has_value();
    ASSERT_GE(hits, 1) << i;
  }
}

TEST(TriangleRay, DoesNotHitATriangleWithoutAreaOrOneThatItLiesIn) {
  const glm::dvec3 a(0), b(1, 0, 0), c(0, 1, 0);
  EXPECT_FALSE(hit_of(TriangleRay({0.5, 0, 1}, {0, 0, -1}), {a, b, b}));
  EXPECT_FALSE(hit_of(TriangleRay({0, 0, 1}, {0, 0, -1}), {a, a, a}));
  EXPECT_FALSE(hit_of(TriangleRay({-1, 0.2, 0}, {1, 0, 0}), {a, b, c}));
  EXPECT_TRUE(hit_of(TriangleRay({0.2, 0.2, 1}, {0, 0, -1}), {a, b, c}));
  EXPECT_FALSE(hit_of(TriangleRay({0.2, 0.2, 1}, {0, 0, 1}), {a, b, c})) << "behind";
}

// No point of the triangle is nearer, wherever the position is; triangles may be lines and points.
TEST(NearestOnTriangle, IsNearerThanAllPointsOfTheTriangle) {
  Random random;
  for (int i = 0; i < 2000; ++i) {
    Corners corners{random.point(), random.point(), random.point()};
    if (i % 5 == 1) corners.c = glm::mix(corners.a, corners.b, random.number());
    if (i % 5 == 2) corners.c = corners.b;
    if (i % 5 == 3) corners.b = corners.c = corners.a;
    const glm::dvec3 p = 2.0 * random.point();
    const glm::dvec3 on = nearest_on_triangle(corners, p);
    ASSERT_NEAR(on.x + on.y + on.z, 1, 1e-12);
    ASSERT_GE(std::min({on.x, on.y, on.z}), 0);
    const double distance = glm::distance(corners.point(on), p);
    constexpr int kSteps = 24;
    for (int u = 0; u <= kSteps; ++u) {
      for (int v = 0; u + v <= kSteps; ++v) {
        const glm::dvec3 other(u / double{kSteps}, v / double{kSteps}, (kSteps - u - v) / double{kSteps});
        ASSERT_LE(distance, glm::distance(corners.point(other), p) + 1e-9) << i;
      }
    }
  }
}

}  // namespace
}  // namespace pelt
