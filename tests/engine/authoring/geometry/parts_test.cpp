// SPDX-License-Identifier: MIT
#include <random>

#include <pelt/tools/mesh_parts.h>

namespace pelt {
namespace {

TEST(Parts, WeldNamesTheFirstVertexOfAPosition) {
  EXPECT_TRUE(weld_by_position({}).empty());
  const std::vector<glm::vec3> positions{{1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {-0.0f, 0, -0.0f}, {1, 0, 1e-7f}};
  EXPECT_EQ(weld_by_position(positions), (std::vector<std::uint32_t>{0, 1, 0, 1, 4}));
}

TEST(Parts, WeldAsIfEveryPairWereCompared) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> coordinate(-2, 2);
  std::vector<glm::vec3> positions;
  for (int i = 0; i < 600; ++i) positions.emplace_back(coordinate(random), coordinate(random), coordinate(random));
  for (const float distance : {0.01f, 0.3f, 1.0f, 10.0f}) {
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < positions.size(); ++i) {
      std::uint32_t closest = i;
      double least = distance;
      for (std::uint32_t other = 0; other < i; ++other) {
        const double d = glm::distance(glm::dvec3(positions[i]), glm::dvec3(positions[other]));
        if (expected[other] != other || d > least || (closest != i && d == least)) continue;
        closest = other;
        least = d;
      }
      expected.push_back(closest);
    }
    EXPECT_EQ(weld_within(positions, distance), expected) << distance;
  }
}

TEST(Parts, KnowTheirBorders) {
  // A square of two triangles and a tetrahedron.
  const std::vector<glm::uvec3> triangles{{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}, {4, 7, 5}, {5, 7, 6}};
  std::vector<std::pair<std::uint32_t, int>> is;
  for (const BorderEdge& edge : border_edges(triangles)) is.emplace_back(edge.triangle, edge.corner);
  EXPECT_EQ(is, (std::vector<std::pair<std::uint32_t, int>>{{0, 0}, {0, 1}, {1, 1}, {1, 2}}));
}

TEST(Parts, TrianglesConnect) {
  const std::vector<glm::uvec3> triangles{{5, 4, 6}, {0, 2, 3}, {3, 7, 2}};
  EXPECT_EQ(connected_parts(8, triangles), (std::vector<std::uint32_t>{0, 1, 0, 0, 4, 4, 4, 0}));
}

}  // namespace
}  // namespace pelt
