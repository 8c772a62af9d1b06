// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/simplify.h"

#include <algorithm>

#include <pelt/builtin.h>
#include <pelt/tools/area.h>
#include <pelt/tools/mesh_parts.h>

#include "tests/engine/authoring/geometry/part_count.h"

namespace pelt {
namespace {

Mesh limb() { return make_limb({.around = 32, .along = 32}).meshes[0]; }

std::size_t part_count(const Mesh& mesh) { return test::part_count(mesh.positions.size(), mesh.triangles); }

TEST(Simplify, NothingStaysNothing) {
  const Simplified simple = simplify(Mesh{}, 100);
  EXPECT_TRUE(simple.mesh.positions.empty());
  EXPECT_TRUE(simple.mesh.triangles.empty());
  EXPECT_THAT(simple.notes, testing::IsEmpty());
}

TEST(Simplify, AFewTrianglesStayAsTheyAre) {
  Mesh quad;
  quad.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {7, 7, 7}, {0, 0, 0}};
  quad.triangles = {{0, 1, 2}, {5, 2, 3}, {0, 5, 1}};
  const Simplified simple = simplify(quad, 2);
  EXPECT_THAT(simple.mesh.triangles, testing::ElementsAre(glm::uvec3(0, 1, 2), glm::uvec3(0, 2, 3)))
      << "vertices at one place become one, and what collapses by it goes";
  EXPECT_EQ(simple.mesh.positions.size(), 4u) << "nothing names the others";
}

TEST(Simplify, HasAboutTheTrianglesAsked) {
  for (const std::size_t asked : {63, 64, 65, 300, 1234}) {
    const Simplified simple = simplify(limb(), asked);
    EXPECT_LE(simple.mesh.triangles.size(), asked);
    EXPECT_GE(simple.mesh.triangles.size(), asked * 9 / 10);
    EXPECT_EQ(simple.mesh.weights.row_count(), 0u);
    EXPECT_EQ(part_count(simple.mesh), 1u);
    for (const glm::uvec3 t : simple.mesh.triangles) EXPECT_GT(triangle_area(simple.mesh, t), least_area(simple.mesh));
    EXPECT_THAT(simple.notes, testing::IsEmpty());
  }
}

TEST(Simplify, ADensityOfOneChangesNothing) {
  const Mesh surface = limb();
  const Mesh even = simplify(surface, 300).mesh;
  const Mesh same = simplify(surface, 300, std::vector<float>(surface.positions.size(), 1.0f)).mesh;
  EXPECT_EQ(even.positions, same.positions);
  EXPECT_EQ(even.triangles, same.triangles);
}

TEST(Simplify, SmallPartsKeepTrianglesOfTheirOwn) {
  Mesh mesh = limb();
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  const Mesh small = make_limb({.radius = 0.01f, .length = 0.02f, .around = 8, .along = 2}).meshes[0];
  for (const glm::vec3 p : small.positions) mesh.positions.push_back(p + glm::vec3(0, 3, 0));
  for (const glm::uvec3 t : small.triangles) mesh.triangles.push_back(t + first);
  const Simplified simple = simplify(mesh, 200);
  EXPECT_EQ(part_count(simple.mesh), 2u);
  EXPECT_THAT(simple.notes, testing::ElementsAre(testing::StartsWith("1 small parts")));
}

TEST(Simplify, NamesTheVerticesThatItKeeps) {
  const Mesh surface = limb();
  const Simplified simple = simplify(surface, 300);
  ASSERT_EQ(simple.source_vertex.size(), simple.mesh.positions.size());
  EXPECT_TRUE(std::is_sorted(simple.source_vertex.begin(), simple.source_vertex.end()));
  for (std::size_t i = 0; i < simple.source_vertex.size(); ++i) {
    EXPECT_EQ(simple.mesh.positions[i], surface.positions[simple.source_vertex[i]]);
  }
}

TEST(Thin, NothingStaysNothing) { EXPECT_TRUE(thin(Mesh{}, 0).mesh.positions.empty()); }

TEST(Thin, WhatIsNotDenseIsWeldedAlone) {
  Mesh quad;
  quad.positions = {{7, 7, 7}, {0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 0}};
  quad.triangles = {{1, 2, 3}, {5, 3, 4}};
  const Simplified thinned = thin(quad, 2);
  EXPECT_THAT(thinned.source_vertex, testing::ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(thinned.mesh.triangles, testing::ElementsAre(glm::uvec3(0, 1, 2), glm::uvec3(0, 2, 3)));
}

TEST(Thin, HasAboutTheTrianglesAskedAndNoHoles) {
  const Mesh dense = make_limb({.around = 256, .along = 256}).meshes[0];  // has many parts
  for (const std::size_t asked : {5000, 20'000, 100'000}) {
    const Simplified thinned = thin(dense, asked);
    EXPECT_GT(thinned.mesh.triangles.size(), asked / 2);
    EXPECT_LT(thinned.mesh.triangles.size(), asked + asked / 4);
    EXPECT_EQ(part_count(thinned.mesh), 1u);
    const std::vector<MeshEdge> edges = edge_uses(thinned.mesh.triangles);
    std::size_t folds = 0;  // at a border whose sides came to lie on one edge
    for (auto edge = edges.begin(), next = edge; edge != edges.end(); edge = next) {
      next = std::upper_bound(edge, edges.end(), *edge);
      ASSERT_EQ((next - edge) % 2, 0) << "the limb is closed";
      folds += next - edge > 2 ? 1 : 0;
    }
    EXPECT_LT(folds, edges.size() / 200);
    for (std::size_t i = 0; i < thinned.source_vertex.size(); ++i) {
      ASSERT_EQ(thinned.mesh.positions[i], dense.positions[thinned.source_vertex[i]]);
    }
  }
}

}  // namespace
}  // namespace pelt
