// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/closed_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <numeric>

#include <pelt/tools/area.h>

namespace pelt {
namespace {

double area_of(const std::vector<glm::vec3>& positions, const std::vector<glm::uvec3>& triangles) {
  double area = 0;
  for (const glm::uvec3 t : triangles) area += triangle_area(positions, t);
  return area;
}

std::vector<std::uint32_t> numbers(std::size_t count) {
  std::vector<std::uint32_t> result(count);
  std::iota(result.begin(), result.end(), 0u);
  return result;
}

void expect_closed(const std::vector<glm::uvec3>& triangles) {
  const std::vector<MeshEdge> uses = edge_uses(triangles);
  for (const MeshEdge& edge : uses) {
    EXPECT_EQ(std::count(uses.begin(), uses.end(), edge) % 2, 0) << edge.first << ' ' << edge.second;
  }
}

// The unit cube with all faces but the upper one; the first vertices are the lower ones.
struct Box {
  std::vector<glm::vec3> positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  std::vector<glm::uvec3> triangles = {{0, 2, 1}, {0, 3, 2}, {0, 1, 5}, {0, 5, 4}, {1, 2, 6},
                                       {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
};

TEST(EdgeLoops, PassNoVertexTwice) {
  const std::vector<MeshEdge> eight = {{0, 1}, {0, 2}, {1, 2}, {2, 3}, {2, 4}, {3, 4}, {7, 8}, {7, 9}, {8, 9}};
  const std::vector<std::vector<std::uint32_t>> loops = edge_loops(eight);
  ASSERT_EQ(loops.size(), 3u);
  std::vector<MeshEdge> found;
  for (const std::vector<std::uint32_t>& loop : loops) {
    EXPECT_EQ(loop.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) found.push_back(std::minmax(loop[i], loop[(i + 1) % 3]));
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, eight);
  EXPECT_TRUE(edge_loops({}).empty());
}

TEST(CapOf, HasTheLeastAreaOfAConcavePolygon) {
  const std::vector<glm::vec3> u = {{0, 0, 0}, {3, 0, 0}, {3, 3, 0}, {2, 3, 0},
                                    {2, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}};
  const std::vector<glm::uvec3> cap = cap_of(u, numbers(u.size()));
  EXPECT_EQ(cap.size(), 6u);
  EXPECT_NEAR(area_of(u, cap), 7, 1e-6);
}

// More vertices than the corners between which the least area is found.
TEST(CapOf, KeepsEveryEdgeOfALongBorder) {
  for (const std::size_t count : {64u, 65u, 1000u}) {
    std::vector<glm::vec3> circle;
    std::vector<glm::uvec3> cone;
    for (std::uint32_t i = 0; i < count; ++i) {
      const float angle = glm::two_pi<float>() * static_cast<float>(i) / static_cast<float>(count);
      circle.emplace_back(std::cos(angle), std::sin(angle), 0);
      cone.emplace_back(i, (i + 1) % count, count);
    }
    const std::vector<glm::uvec3> cap = cap_of(circle, numbers(count));
    EXPECT_NEAR(area_of(circle, cap), glm::pi<double>(), 0.01);
    cone.insert(cone.end(), cap.begin(), cap.end());
    expect_closed(cone);
  }
}

TEST(CloseParts, CapsHoles) {
  Box box;
  ClosedParts parts = close_parts(box.positions, box.triangles);
  EXPECT_TRUE(parts.closed.empty());
  EXPECT_EQ(parts.capped, box.triangles);
  EXPECT_EQ(parts.caps.size(), 2u);
  box.triangles.insert(box.triangles.end(), parts.caps.begin(), parts.caps.end());
  expect_closed(box.triangles);
  EXPECT_EQ(parts.holes, 1u);
  EXPECT_EQ(parts.open_edge, MeshEdge(4, 5));
  EXPECT_FALSE(parts.sheet_edge);

  parts = close_parts(box.positions, box.triangles);
  EXPECT_EQ(parts.closed.size(), 12u);
  EXPECT_EQ(parts.parts, 1u);
  EXPECT_EQ(parts.capped_parts, 0u);
  EXPECT_FALSE(parts.open_edge);
}

// The open box and a square.
TEST(CloseParts, LeavesSheetsOpen) {
  Box box;
  for (const glm::vec3& corner : {glm::vec3(3, 0, 0), {4, 0, 0}, {4, 1, 0}, {3, 1, 0}}) box.positions.push_back(corner);
  box.triangles.emplace_back(8, 9, 10);
  box.triangles.emplace_back(8, 10, 11);
  const ClosedParts parts = close_parts(box.positions, box.triangles);
  EXPECT_EQ(parts.parts, 2u);
  EXPECT_EQ(parts.capped_parts, 1u);
  EXPECT_EQ(parts.sheet_parts, 1u);
  EXPECT_EQ(parts.sheets, (std::vector<glm::uvec3>{{8, 9, 10}, {8, 10, 11}}));
  EXPECT_EQ(parts.sheet_edge, MeshEdge(8, 9));
}

}  // namespace
}  // namespace pelt
