// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/manifold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pelt/tools/mesh_parts.h>

#include "tests/engine/authoring/geometry/part_count.h"

namespace pelt {
namespace {

using testing::ElementsAre;

std::size_t part_count(const Manifold& mesh) { return test::part_count(mesh.source.size(), mesh.triangles); }

TEST(Manifold, LeavesAMeshThatIsOneAsItIs) {
  const std::vector<glm::uvec3> triangles{{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
  const Manifold mesh = manifold_of(triangles);
  EXPECT_EQ(mesh.triangles, triangles);
  EXPECT_THAT(mesh.source, ElementsAre(0, 1, 2, 3, 4));
}

TEST(Manifold, CutsSheetsThatTouchAtAVertex) {
  const Manifold mesh = manifold_of(std::vector<glm::uvec3>{{0, 1, 2}, {0, 3, 4}});
  EXPECT_THAT(mesh.source, ElementsAre(0, 0, 1, 2, 3, 4));
  EXPECT_EQ(part_count(mesh), 2);
}

// A closed ring of six triangles round vertex 0, in which 1 stands twice: what lies between is a pocket on the edge.
TEST(Manifold, CutsAPocketOffTheSheetThatItHangsOn) {
  const std::vector<glm::uvec3> triangles{{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 4}, {0, 4, 5}, {0, 5, 1}};
  const Manifold mesh = manifold_of(triangles);
  EXPECT_THAT(mesh.source, ElementsAre(0, 0, 1, 1, 2, 3, 4, 5));
  EXPECT_EQ(part_count(mesh), 2);
  EXPECT_TRUE(border_edges(mesh.triangles).size() == 6) << "both are closed round vertex 0";
}

TEST(Manifold, CutsTrianglesThatWindAgainstEachOther) {
  const Manifold mesh = manifold_of(std::vector<glm::uvec3>{{0, 1, 2}, {0, 1, 3}});
  EXPECT_THAT(mesh.source, ElementsAre(0, 0, 1, 1, 2, 3));
  EXPECT_EQ(part_count(mesh), 2);
}

// A triangle that stands there twice, and one on an edge that two others share.
TEST(Manifold, GivesWhatIsTooManyItsOwnVertices) {
  const Manifold twice = manifold_of(std::vector<glm::uvec3>{{0, 1, 2}, {0, 1, 2}});
  EXPECT_THAT(twice.source, ElementsAre(0, 0, 1, 1, 2, 2));
  const Manifold fin = manifold_of(std::vector<glm::uvec3>{{0, 1, 2}, {1, 0, 3}, {0, 1, 4}});
  for (const auto& edges = edge_uses(fin.triangles); const MeshEdge& edge : edges) {
    EXPECT_LE(std::ranges::count(edges, edge), 2);
  }
  EXPECT_GE(part_count(fin), 2);
}

// A strip whose end is glued to its begin turned round has no side: one edge is cut.
TEST(Manifold, CutsAMoebiusStripOnce) {
  const std::vector<glm::uvec3> triangles{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {4, 3, 5}, {4, 5, 1}, {1, 5, 0}};
  const Manifold mesh = manifold_of(triangles);
  EXPECT_EQ(part_count(mesh), 1);
  EXPECT_THAT(mesh.source, ElementsAre(0, 0, 1, 1, 2, 3, 4, 5));
}

}  // namespace
}  // namespace pelt
