// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/polygon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <glm/gtc/quaternion.hpp>
#include <numeric>

namespace pelt {
namespace {

std::vector<glm::uvec3> split(const std::vector<glm::vec3>& positions) {
  std::vector<std::uint32_t> corners(positions.size());
  std::iota(corners.begin(), corners.end(), 0u);
  std::vector<glm::uvec3> triangles;
  split_polygon(positions, corners, triangles);
  return triangles;
}

glm::dvec3 area_vector(const glm::vec3& a, const glm::vec3& b, const glm::vec3& c) {
  return 0.5 * glm::cross(glm::dvec3(b) - glm::dvec3(a), glm::dvec3(c) - glm::dvec3(a));
}

// A planar polygon is split properly if its triangles all have its winding and their areas sum to its own: then none
// overlap and none lie outside.
void expect_proper(const std::vector<glm::vec3>& polygon) {
  const std::vector<glm::uvec3> triangles = split(polygon);
  ASSERT_EQ(triangles.size(), polygon.size() - 2);
  glm::dvec3 whole(0.0);
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) whole += area_vector(polygon[0], polygon[i], polygon[i + 1]);
  double sum = 0;
  for (const glm::uvec3& t : triangles) {
    const glm::dvec3 area = area_vector(polygon[t.x], polygon[t.y], polygon[t.z]);
    EXPECT_GE(glm::dot(area, whole), -1e-6 * glm::dot(whole, whole)) << t.x << ' ' << t.y << ' ' << t.z;
    sum += glm::length(area);
  }
  EXPECT_NEAR(sum, glm::length(whole), 1e-5 * glm::length(whole));
}

// Checks the polygon unchanged, reversed, turned, scaled, and started at each corner.
void expect_proper_everywhere(const std::vector<glm::vec3>& polygon) {
  for (const bool reversed : {false, true}) {
    for (const float scale : {1e-6f, 1.0f, 1e6f}) {
      for (std::size_t start = 0; start < polygon.size(); ++start) {
        const glm::quat turn = glm::angleAxis(0.7f * static_cast<float>(start), glm::normalize(glm::vec3(1, 2, -1)));
        std::vector<glm::vec3> moved;
        for (std::size_t i = 0; i < polygon.size(); ++i) {
          const std::size_t at = (start + (reversed ? polygon.size() - i : i)) % polygon.size();
          moved.push_back(scale * (turn * polygon[at]));
        }
        expect_proper(moved);
      }
    }
  }
}

TEST(SplitPolygon, KeepsATriangle) {
  EXPECT_THAT(split({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), testing::ElementsAre(glm::uvec3(0, 1, 2)));
}

TEST(SplitPolygon, TakesTheShorterDiagonalOfAQuad) {
  EXPECT_THAT(split({{0, 0, 0}, {2, 0, 0}, {3, 1, 0}, {0, 1, 0}}),
              testing::ElementsAre(glm::uvec3(0, 1, 3), glm::uvec3(1, 2, 3)));
  EXPECT_THAT(split({{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {-1, 1, 0}}),
              testing::ElementsAre(glm::uvec3(0, 1, 2), glm::uvec3(0, 2, 3)));
}

TEST(SplitPolygon, KeepsInsideConcaveQuads) { expect_proper_everywhere({{0, 0, 0}, {4, 0, 0}, {1, 1, 0}, {0, 4, 0}}); }

TEST(SplitPolygon, KeepsInsideConcavePolygons) {
  expect_proper_everywhere({{0, 0, 0}, {3, 0, 0}, {3, 3, 0}, {2, 3, 0}, {2, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}});
  std::vector<glm::vec3> star;
  for (int i = 0; i < 14; ++i) {
    const float angle = static_cast<float>(i) * 0.4487989f;
    star.push_back((i % 2 == 0 ? 3.0f : 1.0f) * glm::vec3(std::cos(angle), std::sin(angle), 0));
  }
  expect_proper_everywhere(star);
  std::vector<glm::vec3> comb{{20, -1, 0}, {-1, -1, 0}};
  for (int i = 0; i < 20; ++i) comb.push_back({static_cast<float>(i), i % 2 == 0 ? 0.0f : 5.0f, 0});
  expect_proper_everywhere(comb);
}

TEST(SplitPolygon, KeepsCornersOnStraightEdges) {
  expect_proper_everywhere({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {2, 2, 0}, {1, 2, 0}, {0, 2, 0}, {0, 1, 0}});
}

TEST(SplitPolygon, SplitsRoundPolygonsWithoutAFan) {
  std::vector<glm::vec3> circle;
  for (int i = 0; i < 64; ++i) {
    const float angle = static_cast<float>(i) * 0.09817477f;
    circle.push_back({std::cos(angle), std::sin(angle), 0});
  }
  expect_proper(circle);
  std::vector<int> valence(circle.size());
  for (const glm::uvec3& t : split(circle)) {
    for (int c = 0; c < 3; ++c) ++valence[t[c]];
  }
  EXPECT_LT(*std::max_element(valence.begin(), valence.end()), 16);
}

TEST(SplitPolygon, EndsOnAnything) {
  EXPECT_EQ(split(std::vector<glm::vec3>(7)).size(), 5u);
  EXPECT_EQ(split({{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}, {0.5f, 2, 0}}).size(), 3u);
  std::vector<glm::vec3> line;
  for (int i = 0; i < 1000; ++i) line.push_back({static_cast<float>(i % 3), 0, 0});
  EXPECT_EQ(split(line).size(), 998u);
}

}  // namespace
}  // namespace pelt
