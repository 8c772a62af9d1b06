// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/refine.h"

#include <algorithm>
#include <map>
#include <set>

#include <pelt/builtin.h>

#include "tests/support/tube.h"

namespace pelt::surface_ffd {
namespace {

using Choice = std::vector<std::uint8_t>;

// Returns a coarse, closed limb.
Mesh limb() { return make_limb({.around = 8, .along = 6}).meshes[0]; }

Choice every_seventh(const Mesh& mesh) {
  Choice chosen(mesh.triangles.size(), 0);
  for (std::size_t i = 0; i < chosen.size(); i += 7) chosen[i] = 1;
  return chosen;
}

glm::dvec3 area_vector(const Mesh& mesh, glm::uvec3 t) {
  const glm::dvec3 a(mesh.positions[t.x]);
  return 0.5 * glm::cross(glm::dvec3(mesh.positions[t.y]) - a, glm::dvec3(mesh.positions[t.z]) - a);
}

std::map<std::pair<std::uint32_t, std::uint32_t>, int> edge_uses(const Mesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> uses;
  for (const glm::uvec3 t : mesh.triangles) {
    for (int corner = 0; corner < 3; ++corner) ++uses[std::minmax(t[corner], t[(corner + 1) % 3])];
  }
  return uses;
}

// Expects a sound refinement: the parts of every triangle have its area and face its way; every edge is used as often
// as the one that it is a part of, or twice for each triangle that it is inside of; everything else is as it was.
void expect_refined(const Mesh& before, const Choice& chosen) {
  const Refined refined = refine(before, chosen);
  const Mesh& after = refined.mesh;
  ASSERT_EQ(after.positions.size(), before.positions.size() + refined.parents.size());
  ASSERT_EQ(after.triangles.size(), refined.source_triangle.size());
  EXPECT_TRUE(std::is_sorted(refined.source_triangle.begin(), refined.source_triangle.end()));
  EXPECT_TRUE(std::equal(before.positions.begin(), before.positions.end(), after.positions.begin()));

  std::vector<std::vector<glm::uvec3>> pieces(before.triangles.size());
  for (std::size_t i = 0; i < after.triangles.size(); ++i) {
    pieces[refined.source_triangle[i]].push_back(after.triangles[i]);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const glm::dvec3 whole = area_vector(before, before.triangles[i]);
    glm::dvec3 sum(0);
    for (const glm::uvec3 piece : pieces[i]) {
      sum += area_vector(after, piece);
      EXPECT_GT(glm::dot(area_vector(after, piece), whole), 0.1 * glm::dot(whole, whole));
    }
    EXPECT_LT(glm::distance(sum, whole), 1e-6);
    if (chosen[i] != 0) {
      EXPECT_EQ(pieces[i].size(), 4u);
    }
    if (pieces[i].size() == 1) {
      EXPECT_EQ(pieces[i][0], before.triangles[i]);
    }
  }

  const auto uses_before = edge_uses(before);
  const auto parents_of = [&](std::uint32_t vertex) {
    std::set<std::uint32_t> parents = {vertex};
    if (vertex >= before.positions.size()) {
      const glm::uvec2 p = refined.parents[vertex - before.positions.size()];
      parents = {p.x, p.y};
    }
    return parents;
  };
  for (const auto& [edge, uses] : edge_uses(after)) {
    std::set<std::uint32_t> ends = parents_of(edge.first);
    ends.merge(parents_of(edge.second));
    const auto in_triangle = [&](glm::uvec3 t) { return ends == std::set<std::uint32_t>{t.x, t.y, t.z}; };
    const auto expected = ends.size() == 2
                              ? uses_before.at({*ends.begin(), *ends.rbegin()})
                              : 2 * std::count_if(before.triangles.begin(), before.triangles.end(), in_triangle);
    EXPECT_EQ(uses, expected) << edge.first << " to " << edge.second;
  }
}

TEST(Refine, NothingStaysNothing) {
  const Refined refined = refine(Mesh{}, {});
  EXPECT_TRUE(refined.mesh.positions.empty());
  EXPECT_TRUE(refined.parents.empty());
}

TEST(Refine, NeighboursHaveTwoThreeOrFourTriangles) {
  const Mesh mesh =
      test::make_grid(2);  // of the eight triangles 0 and 1 make the first quad, 2 and 3 the one to its right
  const auto counts = [&](std::initializer_list<std::size_t> all) {
    Choice chosen(8, 0);
    for (const std::size_t i : all) chosen[i] = 1;
    const Refined refined = refine(mesh, chosen);
    std::vector<int> result(8, 0);
    for (const std::uint32_t source : refined.source_triangle) ++result[source];
    return result;
  };
  EXPECT_THAT(counts({0}), testing::ElementsAre(4, 2, 1, 2, 1, 1, 1, 1));
  EXPECT_THAT(counts({0, 4}), testing::ElementsAre(4, 3, 1, 2, 4, 2, 1, 2));
  EXPECT_THAT(counts({0, 2, 6}), testing::ElementsAre(4, 2, 4, 4, 1, 1, 4, 2));
}

TEST(Refine, LeavesNoCracks) {
  for (const Mesh& mesh : {limb(), test::make_grid(5), test::make_tube_mesh({.around = 7, .along = 5})}) {
    expect_refined(mesh, every_seventh(mesh));
    expect_refined(mesh, Choice(mesh.triangles.size(), 1));
    for (std::size_t only = 0; only < 12; ++only) {
      Choice chosen(mesh.triangles.size(), 0);
      chosen[only] = 1;
      expect_refined(mesh, chosen);
    }
    const Mesh again = refine(mesh, every_seventh(mesh)).mesh;
    expect_refined(again, every_seventh(again));
  }
}

TEST(Refine, TakesMeshesThatAreNotManifold) {
  Mesh mesh = test::make_grid(3);
  mesh.positions.emplace_back(0.5, 0.5, 1);
  mesh.triangles.emplace_back(0, 5, 16);  // a fin on a diagonal
  mesh.triangles.push_back(mesh.triangles[4]);
  mesh.triangles.push_back({mesh.triangles[8].y, mesh.triangles[8].x, mesh.triangles[8].z});
  for (std::size_t only = 0; only < mesh.triangles.size(); ++only) {
    Choice chosen(mesh.triangles.size(), 0);
    chosen[only] = 1;
    expect_refined(mesh, chosen);
  }
}

TEST(Refine, SplitsEdgesAtOnePlaceTogether) {
  Mesh mesh;  // two triangles along a seam
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
  const Refined refined = refine(mesh, Choice{1, 0});
  EXPECT_THAT(refined.source_triangle, testing::ElementsAre(0, 0, 0, 0, 1, 1));
  EXPECT_EQ(refined.parents.size(), 4u) << "the seam has two middles";
}

TEST(Refine, TrianglesWithoutAreaDoNoHarm) {
  Mesh mesh = test::make_grid(1);
  mesh.triangles.emplace_back(0, 0, 3);
  const Refined refined = refine(mesh, Choice{1, 0, 1});
  for (const glm::uvec3 t : refined.mesh.triangles) {
    EXPECT_LT(std::max({t.x, t.y, t.z}), refined.mesh.positions.size());
  }
  EXPECT_EQ(std::count(refined.source_triangle.begin(), refined.source_triangle.end(), 1u), 2);
}

TEST(Refine, NewVerticesAreMeansOfTheirParents) {
  const Mesh mesh = limb();
  const Refined refined = refine(mesh, every_seventh(mesh));
  const Mesh& after = refined.mesh;
  ASSERT_TRUE(validate(after.weights, 2, "weights"));
  ASSERT_EQ(after.weights.row_count(), after.positions.size());
  ASSERT_EQ(after.normals.size(), after.positions.size());
  ASSERT_EQ(after.tangents.size(), after.positions.size());
  const auto second = [&](std::uint32_t vertex) {
    for (const Influence& influence : after.weights.row(vertex)) {
      if (influence.index == 1) return influence.weight;
    }
    return 0.0f;
  };
  for (std::size_t i = 0; i < refined.parents.size(); ++i) {
    const auto vertex = static_cast<std::uint32_t>(mesh.positions.size() + i);
    const auto [a, b] = std::pair(refined.parents[i].x, refined.parents[i].y);
    EXPECT_EQ(after.positions[vertex], 0.5f * (mesh.positions[a] + mesh.positions[b]));
    EXPECT_NEAR(second(vertex), 0.5f * (second(a) + second(b)), 1e-6f);
    EXPECT_NEAR(glm::length(after.normals[vertex]), 1.0f, 1e-5f);
  }
}

TEST(Refine, PartsKeepTheirTriangles) {
  Mesh mesh = test::make_grid(2);
  mesh.parts = {{0, 3, 5}, {3, 0, 6}, {3, 5, 7}};
  const Refined refined = refine(mesh, Choice{1, 0, 0, 0, 0, 0, 0, 0});
  ASSERT_EQ(refined.mesh.parts.size(), 3u);
  for (const MeshPart& part : refined.mesh.parts) {
    for (std::uint32_t i = 0; i < part.triangle_count; ++i) {
      EXPECT_EQ(refined.source_triangle[part.first_triangle + i] < 3, part.material == 5);
    }
  }
  EXPECT_EQ(refined.mesh.parts[0].triangle_count + refined.mesh.parts[2].triangle_count, refined.mesh.triangles.size());
  EXPECT_EQ(refined.mesh.parts[1].triangle_count, 0u);
}

}  // namespace
}  // namespace pelt::surface_ffd
