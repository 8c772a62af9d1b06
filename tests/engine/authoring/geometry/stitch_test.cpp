// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/stitch.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <glm/gtc/constants.hpp>

#include <pelt/builtin.h>
#include <pelt/tools/area.h>
#include <pelt/tools/mesh_parts.h>

namespace pelt {
namespace {

// Adds a grid of nu x nv quads over the unit square, as `place` bends it; every vertex follows joint `joint`.
void add_grid(Mesh& mesh, std::uint32_t nu, std::uint32_t nv, const std::function<glm::vec3(glm::vec2)>& place,
              std::uint32_t joint = 0) {
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (std::uint32_t i = 0; i <= nu; ++i) {
    for (std::uint32_t j = 0; j <= nv; ++j) {
      mesh.positions.push_back(
          place({static_cast<float>(i) / static_cast<float>(nu), static_cast<float>(j) / static_cast<float>(nv)}));
      const Influence influence{joint, 1.0f};
      mesh.weights.append_row(std::span(&influence, 1));
    }
  }
  const auto first_triangle = static_cast<std::uint32_t>(mesh.triangles.size());
  for (std::uint32_t i = 0; i < nu; ++i) {
    for (std::uint32_t j = 0; j < nv; ++j) {
      const std::uint32_t a = first + i * (nv + 1) + j;
      mesh.triangles.emplace_back(a, a + nv + 1, a + nv + 2);
      mesh.triangles.emplace_back(a, a + nv + 2, a + 1);
    }
  }
  mesh.parts.push_back({first_triangle, 2 * nu * nv, static_cast<std::int32_t>(mesh.parts.size())});
}

// A grid over the unit square, and one to its right that starts `gap` later and has rows of its own.
Mesh two_grids(std::uint32_t rows_left, std::uint32_t rows_right, float gap) {
  Mesh mesh;
  add_grid(
      mesh, 3, rows_left, [](glm::vec2 p) { return glm::vec3(p, 0); }, 0);
  add_grid(
      mesh, 2, rows_right, [=](glm::vec2 p) { return glm::vec3(p.x + 1 + gap, p.y, 0); }, 1);
  return mesh;
}

// Counts the border edges whose two ends both satisfy `on_seam`.
template <class OnSeam>
int borders(const Mesh& mesh, OnSeam on_seam) {
  int count = 0;
  const std::vector<MeshEdge> edges = edge_uses(mesh.triangles);
  for (auto edge = edges.begin(), next = edge; edge != edges.end(); edge = next) {
    next = std::upper_bound(edge, edges.end(), *edge);
    EXPECT_LE(next - edge, 2);
    if (next - edge == 1 && on_seam(mesh.positions[edge->first]) && on_seam(mesh.positions[edge->second])) ++count;
  }
  return count;
}

double area(const Mesh& mesh) {
  double sum = 0;
  for (const glm::uvec3 t : mesh.triangles) sum += triangle_area(mesh, t);
  return sum;
}

void expect_maps(const Mesh& before, const Stitched& stitched, float distance) {
  ASSERT_EQ(stitched.new_vertex.size(), before.positions.size());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < before.positions.size(); ++i) {
    ASSERT_LT(stitched.new_vertex[i], stitched.mesh.positions.size());
    EXPECT_LE(glm::distance(before.positions[i], stitched.mesh.positions[stitched.new_vertex[i]]), distance);
    EXPECT_LE(stitched.new_vertex[i], next) << "the first of those welded stays, in order";
    if (stitched.new_vertex[i] == next) {
      EXPECT_EQ(stitched.mesh.positions[next], before.positions[i]);
      EXPECT_TRUE(std::ranges::equal(stitched.mesh.weights.row(next), before.weights.row(i)));
      ++next;
    }
  }
  EXPECT_EQ(stitched.mesh.weights.row_count(), stitched.mesh.positions.size());
  ASSERT_EQ(stitched.source_triangle.size(), stitched.mesh.triangles.size());
  EXPECT_TRUE(std::is_sorted(stitched.source_triangle.begin(), stitched.source_triangle.end()));
  std::uint32_t covered = 0;
  for (std::size_t p = 0; p < before.parts.size(); ++p) {
    const MeshPart& part = stitched.mesh.parts[p];
    EXPECT_EQ(part.first_triangle, covered);
    covered += part.triangle_count;
    for (std::uint32_t i = part.first_triangle; i < covered; ++i) {
      EXPECT_GE(stitched.source_triangle[i], before.parts[p].first_triangle);
      EXPECT_LT(stitched.source_triangle[i], before.parts[p].first_triangle + before.parts[p].triangle_count);
    }
  }
  EXPECT_EQ(covered, stitched.mesh.triangles.size());
}

bool on_middle(glm::vec3 p) { return std::abs(p.x - 1) < 0.1f; }

TEST(Stitch, NothingStaysNothing) {
  EXPECT_TRUE(stitch(Mesh{}, 0).mesh.positions.empty());
  EXPECT_TRUE(stitch(Mesh{}, 1).mesh.triangles.empty());
}

TEST(Stitch, AClosedMeshStaysAsItIs) {
  const Mesh limb = make_limb({.around = 12, .along = 8}).meshes[0];
  const Stitched stitched = stitch(limb, 0.001f);
  EXPECT_EQ(stitched.mesh.positions, limb.positions);
  EXPECT_EQ(stitched.mesh.normals, limb.normals);
  EXPECT_EQ(stitched.mesh.triangles, limb.triangles);
  EXPECT_EQ(stitched.mesh.weights, limb.weights);
}

TEST(Stitch, DifferentGridsShareTheirSeam) {
  for (const float gap : {0.0f, 0.01f, -0.01f}) {
    for (const auto& [left, right] : {std::pair(4u, 3u), std::pair(1u, 7u), std::pair(63u, 64u), std::pair(5u, 5u)}) {
      const Mesh grids = two_grids(left, right, gap);
      const float distance = 0.001f + 1.01f * std::abs(gap);
      const Stitched stitched = stitch(grids, distance);
      expect_maps(grids, stitched, distance);
      EXPECT_EQ(borders(stitched.mesh, on_middle), 0) << left << " " << right << " " << gap;
      EXPECT_NEAR(area(stitched.mesh), 2, 0.03);
    }
  }
}

// Three patches that meet in the middle of an edge, each with rows of its own.
TEST(Stitch, PatchesMayMeetAnywhere) {
  Mesh mesh;
  add_grid(mesh, 2, 7, [](glm::vec2 p) { return glm::vec3(p, 0); });
  add_grid(mesh, 3, 2, [](glm::vec2 p) { return glm::vec3(1 + p.x, 0.4f * p.y, 0); });
  add_grid(mesh, 5, 3, [](glm::vec2 p) { return glm::vec3(1 + p.x, 0.4f + 0.6f * p.y, 0); });
  const Stitched stitched = stitch(mesh, 1e-4f);
  expect_maps(mesh, stitched, 1e-4f);
  const auto inside = [](glm::vec3 p) {
    return (std::abs(p.x - 1) < 1e-3f) || (p.x > 0.99f && std::abs(p.y - 0.4f) < 1e-3f);
  };
  EXPECT_EQ(borders(stitched.mesh, inside), 0);
  EXPECT_NEAR(area(stitched.mesh), 2, 1e-5);
}

TEST(Stitch, ARolledGridCloses) {
  Mesh tube;
  add_grid(tube, 12, 5, [](glm::vec2 p) {
    const float angle = p.x * glm::two_pi<float>();
    return glm::vec3(p.y, std::cos(angle), std::sin(angle));
  });
  const Stitched stitched = stitch(tube, 1e-4f);
  expect_maps(tube, stitched, 1e-4f);
  EXPECT_EQ(stitched.mesh.positions.size(), 12u * 6u);
  EXPECT_EQ(stitched.mesh.triangles.size(), tube.triangles.size());
  EXPECT_EQ(borders(stitched.mesh, [](glm::vec3) { return true; }), 24) << "round its two ends";
}

TEST(Stitch, DistanceZeroWeldsExactCopiesAlone) {
  Mesh mesh = two_grids(4, 4, 0);
  const Stitched all = stitch(mesh, 0);
  expect_maps(mesh, all, 0);
  EXPECT_EQ(borders(all.mesh, on_middle), 0);
  for (glm::vec3& p : mesh.positions) {
    if (&p - mesh.positions.data() >= 20) p.x += 1e-6f;
  }
  const Stitched none = stitch(mesh, 0);
  EXPECT_EQ(none.mesh.positions, mesh.positions);
  EXPECT_EQ(none.mesh.triangles, mesh.triangles);
}

TEST(Stitch, ARowOfNearVerticesIsNotDrawnTogether) {
  Mesh mesh;
  add_grid(mesh, 1, 1234, [](glm::vec2 p) { return glm::vec3(p.x, p.y, 0); });
  const float distance = 2.5f / 1234;
  const Stitched stitched = stitch(mesh, distance);
  expect_maps(mesh, stitched, distance);
  EXPECT_NEAR(area(stitched.mesh), 1, 0.01);
  for (std::size_t i = 1; i < stitched.mesh.positions.size(); ++i) {
    EXPECT_GT(glm::distance(stitched.mesh.positions[i], stitched.mesh.positions[i - 1]), distance);
  }
}

TEST(Stitch, TrianglesWithoutAreaGo) {
  Mesh mesh;
  add_grid(mesh, 2, 2, [](glm::vec2 p) { return glm::vec3(p, 0); });
  mesh.parts = {};
  const std::vector<glm::uvec3> whole = mesh.triangles;
  mesh.triangles.insert(mesh.triangles.begin(), {0, 0, 1});
  mesh.triangles.insert(mesh.triangles.begin() + 3, {0, 1, 2});  // in line, along the border
  const Stitched stitched = stitch(mesh, 1e-4f);
  EXPECT_EQ(stitched.mesh.triangles, whole);
  EXPECT_EQ(stitched.source_triangle[0], 1u);
  EXPECT_EQ(stitched.source_triangle[2], 4u);
}

TEST(Stitch, EndsWhateverTheDistance) {
  const Mesh grids = two_grids(5, 8, 0.05f);
  for (const float distance : {1e-30f, 0.1f, 0.3f, 0.7f, 1.0f, 100.0f, 1e30f}) {
    const Stitched stitched = stitch(grids, distance);
    expect_maps(grids, stitched, distance);
    for (const glm::uvec3 t : stitched.mesh.triangles) EXPECT_GT(triangle_area(stitched.mesh, t), 0);
  }
}

}  // namespace
}  // namespace pelt
