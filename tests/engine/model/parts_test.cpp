// SPDX-License-Identifier: MIT
#include "engine/model/parts.h"

namespace pelt {
namespace {

TEST(Parts, WeldNamesTheFirstVertexOfAPosition) {
  EXPECT_TRUE(weld_by_position({}).empty());
  const std::vector<glm::vec3> positions{{1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {-0.0f, 0, -0.0f}, {1, 0, 1e-7f}};
  EXPECT_EQ(weld_by_position(positions), (std::vector<std::uint32_t>{0, 1, 0, 1, 4}));
}

TEST(Parts, TrianglesConnect) {
  const std::vector<glm::uvec3> triangles{{5, 4, 6}, {0, 2, 3}, {3, 7, 2}};
  EXPECT_EQ(connected_parts(8, triangles), (std::vector<std::uint32_t>{0, 1, 0, 0, 4, 4, 4, 0}));
}

}  // namespace
}  // namespace pelt
