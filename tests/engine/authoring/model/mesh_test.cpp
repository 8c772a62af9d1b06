// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <pelt/mesh.h>

namespace pelt {
namespace {

TEST(VertexNormals, AreWeightedByArea) {
  // A triangle of area 2 in the plane z = 0 and one of area 1/2 in the plane x = 0 share vertex 0.
  const std::vector<glm::vec3> positions{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 1, 0}, {0, 0, 1}, {5, 5, 5}};
  const std::vector<glm::uvec3> triangles{{0, 1, 2}, {0, 3, 4}};
  const std::vector<glm::vec3> normals = vertex_normals(positions, triangles);
  ASSERT_EQ(normals.size(), positions.size());
  EXPECT_NEAR(glm::distance(normals[0], glm::normalize(glm::vec3(1, 0, 4))), 0, 1e-6f);
  EXPECT_EQ(normals[1], glm::vec3(0, 0, 1));
  EXPECT_EQ(normals[3], glm::vec3(1, 0, 0));
}

TEST(VertexNormals, AreUnitWhereThereIsNoArea) {
  const std::vector<glm::vec3> positions{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {5, 5, 5}};
  const std::vector<glm::uvec3> triangles{{0, 1, 2}, {0, 0, 0}};
  for (const glm::vec3& normal : vertex_normals(positions, triangles)) EXPECT_EQ(normal, glm::vec3(0, 0, 1));
  EXPECT_TRUE(vertex_normals({}, {}).empty());
}

TEST(VertexNormals, SurviveTinyAndHugeTriangles) {
  for (const float size : {1e-20f, 1e-10f, 1.0f, 1e10f, 1e20f, 1e38f}) {
    const std::vector<glm::vec3> positions{{0, 0, 0}, {size, 0, 0}, {0, size, 0}};
    const std::vector<glm::uvec3> triangles{{0, 1, 2}};
    for (const glm::vec3& normal : vertex_normals(positions, triangles)) EXPECT_EQ(normal, glm::vec3(0, 0, 1)) << size;
  }
}

}  // namespace
}  // namespace pelt
