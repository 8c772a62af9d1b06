// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/coarsen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <pelt/tools/mesh_parts.h>

#include "tests/support/tube.h"

namespace pelt {
namespace {

constexpr double kAny = 1e6;

PosedSurface surface_of(const Mesh& mesh) {
  return {.poses = {mesh.positions},
          .triangles = mesh.triangles,
          .parts = std::vector<std::uint32_t>(mesh.triangles.size(), 0),
          .uvs = std::vector<glm::vec2>(mesh.positions.size(), glm::vec2(0)),
          .normals = std::vector<glm::vec3>(mesh.positions.size(), glm::vec3(0, 0, 1))};
}

std::vector<glm::uvec3> triangles_of(const Coarsener& coarsener) {
  std::vector<glm::uvec3> triangles;
  for (const Coarsener::Kept& kept : coarsener.kept()) triangles.push_back(kept.vertices);
  return triangles;
}

double area_of(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles) {
  double sum = 0;
  for (const glm::uvec3 t : triangles) {
    sum += glm::length(glm::cross(positions[t.y] - positions[t.x], positions[t.z] - positions[t.x])) / 2;
  }
  return sum;
}

TEST(Coarsen, NothingStaysNothing) {
  const PosedSurface nothing{.poses = {{}}};
  Coarsener coarsener(nothing);
  EXPECT_EQ(coarsener.reduce(0, kAny), 0u);
  EXPECT_TRUE(coarsener.kept().empty());
}

TEST(Coarsen, AFlatSquareStaysASquare) {
  const Mesh square = test::make_grid(8);
  const PosedSurface surface = surface_of(square);
  Coarsener coarsener(surface);
  const std::size_t left = coarsener.reduce(2, 1e-6);
  EXPECT_LE(left, 12u);
  const std::vector<glm::uvec3> triangles = triangles_of(coarsener);
  EXPECT_EQ(triangles.size(), left);
  EXPECT_NEAR(area_of(square.positions, triangles), 64, 1e-4);
  for (const glm::uvec3 t : triangles) {
    EXPECT_GT(
        glm::cross(square.positions[t.y] - square.positions[t.x], square.positions[t.z] - square.positions[t.x]).z, 0)
        << "turned over";
  }
}

TEST(Coarsen, GoesOnFromWhatIsLeft) {
  const Mesh tube = test::make_tube_mesh({.around = 24, .along = 32});
  const PosedSurface surface = surface_of(tube);
  Coarsener coarsener(surface);
  const auto vertices = [&] {
    std::set<std::uint32_t> result;
    for (const glm::uvec3 t : triangles_of(coarsener)) result.insert({t.x, t.y, t.z});
    return result;
  };
  std::set<std::uint32_t> before = vertices();
  for (const std::size_t count : {1000u, 500u, 250u}) {
    EXPECT_LE(coarsener.reduce(count, kAny), count);
    EXPECT_GE(coarsener.kept().size(), count - 2);
    const std::set<std::uint32_t> now = vertices();
    EXPECT_TRUE(std::ranges::includes(before, now));
    before = now;
  }
}

// Whatever that costs.
TEST(Coarsen, BordersAreShortenedAlongThemselvesAlone) {
  const Mesh tube = test::make_tube_mesh({.around = 24, .along = 32});
  const PosedSurface surface = surface_of(tube);
  Coarsener coarsener(surface);
  EXPECT_LT(coarsener.reduce(0, kAny), 100u);
  const std::vector<glm::uvec3> triangles = triangles_of(coarsener);
  for (const BorderEdge& edge : border_edges(triangles)) {
    const float x = tube.positions[triangles[edge.triangle][edge.corner]].x;
    EXPECT_TRUE(x == 0 || x == 8) << x;
  }
}

// A seam of the texture that ends within the surface: no triangle takes the coordinates of the other side.
TEST(Coarsen, SidesOfASeamKeepTheirVertices) {
  Mesh square = test::make_grid(8);
  std::vector<std::uint32_t> above(square.positions.size(), 0);  // by vertex of the seam, from x = 0 to 3 at y = 4
  const auto count = static_cast<std::uint32_t>(square.positions.size());
  for (std::uint32_t v = 0; v < count; ++v) {
    if (square.positions[v].y != 4 || square.positions[v].x > 3) continue;
    above[v] = static_cast<std::uint32_t>(square.positions.size());
    square.positions.push_back(square.positions[v]);
  }
  const auto height = [&](glm::uvec3 t) {
    return (square.positions[t.x].y + square.positions[t.y].y + square.positions[t.z].y) / 3;
  };
  for (glm::uvec3& t : square.triangles) {
    if (height(t) < 4) continue;
    for (int c = 0; c < 3; ++c) t[c] = above[t[c]] != 0 ? above[t[c]] : t[c];
  }
  PosedSurface surface = surface_of(square);
  for (std::uint32_t v = 0; v < square.positions.size(); ++v) {
    const glm::vec3 p = square.positions[v];
    surface.uvs[v] = {p.x, v < count ? p.y : p.y + 4 - p.x};
  }
  Coarsener coarsener(surface);
  EXPECT_LT(coarsener.reduce(0, 0.2), 60u);
  for (const glm::uvec3 t : triangles_of(coarsener)) {
    for (int c = 0; c < 3; ++c) {
      if (t[c] >= count) {
        EXPECT_GT(height(t), 4);
      } else if (above[t[c]] != 0) {
        EXPECT_LT(height(t), 4);
      }
    }
  }
}

// V - E + F of a tube is 0, and would be more if a ring were pinched off.
TEST(Coarsen, AThinTubeStaysATube) {
  const Mesh tube = test::make_tube_mesh({.around = 4, .along = 32, .radius = 0.1f});
  const PosedSurface surface = surface_of(tube);
  Coarsener coarsener(surface);
  EXPECT_LT(coarsener.reduce(0, kAny), 40u);
  const std::vector<glm::uvec3> triangles = triangles_of(coarsener);
  std::set<std::uint32_t> vertices;
  for (const glm::uvec3 t : triangles) vertices.insert({t.x, t.y, t.z});
  EXPECT_EQ(vertices.size() + triangles.size(), unique_edges(triangles).size());
  for (const MeshEdge& edge : unique_edges(triangles)) {
    EXPECT_LE(std::ranges::count(edge_uses(triangles), edge), 2);
  }
}

TEST(Coarsen, LeavesOutNothingThatShows) {
  const Mesh tube = test::make_tube_mesh({.around = 24, .along = 32});
  const PosedSurface surface = surface_of(tube);
  std::size_t last = tube.triangles.size() + 1;
  for (const double most : {1e-6, 0.05, 0.15}) {
    Coarsener coarsener(surface);
    const std::size_t left = coarsener.reduce(0, most);
    EXPECT_LT(left, last) << most;
    last = left;
    double least = 1;  // distance of a triangle's middle from the axis; the tube's radius is 1
    for (const glm::uvec3 t : triangles_of(coarsener)) {
      const glm::vec3 middle = (tube.positions[t.x] + tube.positions[t.y] + tube.positions[t.z]) / 3.0f;
      least = std::min(least, std::hypot(double{middle.y}, double{middle.z}));
    }
    EXPECT_GT(least, 0.99 - 6 * most) << most;
  }
}

TEST(Coarsen, KeepsTheRingsOfABend) {
  const Mesh tube = test::make_tube_mesh({.around = 16, .along = 64});
  PosedSurface surface = surface_of(tube);
  const auto near_the_bend = [&] {
    Coarsener coarsener(surface);
    coarsener.reduce(400, kAny);
    std::set<std::uint32_t> vertices;
    for (const glm::uvec3 t : triangles_of(coarsener)) vertices.insert({t.x, t.y, t.z});
    return std::ranges::count_if(vertices, [&](std::uint32_t v) { return std::abs(tube.positions[v].x - 4) < 1; });
  };
  const auto straight = near_the_bend();
  // The tube bends about its middle by a right angle, within 2 m.
  surface.poses.push_back(tube.positions);
  for (glm::vec3& p : surface.poses.back()) {
    const float angle = 1.57f * glm::clamp((p.x - 3) / 2, 0.0f, 1.0f);
    const float along = p.x - 3;
    const glm::vec3 centre(3 + std::min(along, 2.0f) * std::cos(angle / 2), std::min(along, 2.0f) * std::sin(angle / 2),
                           0);
    const glm::vec3 direction(std::cos(angle), std::sin(angle), 0);
    const glm::vec3 beyond = along > 2 ? direction * (along - 2) : glm::vec3(0);
    if (along > 0) p = centre + beyond + p.y * glm::vec3(-direction.y, direction.x, 0) + glm::vec3(0, 0, p.z);
  }
  EXPECT_GT(near_the_bend(), 2 * straight + 8);
}

TEST(Coarsen, KeepsBordersOfParts) {
  const Mesh square = test::make_grid(8);
  PosedSurface surface = surface_of(square);
  // Part 1 is where x + y < 8: its border is a line that no collapse but one along it keeps.
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    glm::vec3 sum(0);
    for (int c = 0; c < 3; ++c) sum += square.positions[square.triangles[t][c]];
    surface.parts[t] = sum.x + sum.y < 24 ? 1 : 0;
  }
  const auto area_of_part = [&](std::uint32_t part, std::span<const Coarsener::Kept> kept) {
    std::vector<glm::uvec3> triangles;
    for (const Coarsener::Kept& triangle : kept) {
      if (surface.parts[triangle.triangle] == part) triangles.push_back(triangle.vertices);
    }
    return area_of(square.positions, triangles);
  };
  Coarsener coarsener(surface);
  const double before = area_of_part(1, coarsener.kept());
  EXPECT_LT(coarsener.reduce(2, 1e-6), 80u);
  EXPECT_NEAR(area_of_part(1, coarsener.kept()), before, 1e-4);
  EXPECT_NEAR(area_of_part(0, coarsener.kept()), 64 - before, 1e-4);
}

TEST(Coarsen, SmallPiecesKeepTheirShare) {
  Mesh mesh = test::make_tube_mesh({.around = 24, .along = 32});
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  Mesh small = test::make_tube_mesh({.around = 8, .along = 8});
  for (Mesh* wavy : {&mesh, &small}) {
    for (glm::vec3& p : wavy->positions) p *= glm::vec3(1, glm::vec2(1 + 0.2f * std::sin(3 * p.x)));
  }
  for (const glm::vec3& p : small.positions) mesh.positions.push_back(1e-3f * p + glm::vec3(0, 3, 0));
  for (const glm::uvec3 t : small.triangles) mesh.triangles.push_back(t + first);
  const PosedSurface surface = surface_of(mesh);
  Coarsener coarsener(surface);
  coarsener.reduce(mesh.triangles.size() / 2, kAny);
  const auto kept = coarsener.kept();
  const auto left =
      std::ranges::count_if(kept, [&](const Coarsener::Kept& triangle) { return triangle.vertices.x >= first; });
  EXPECT_GE(left, static_cast<std::ptrdiff_t>(small.triangles.size() / 5));
  EXPECT_LT(left, static_cast<std::ptrdiff_t>(small.triangles.size()));
}

// Two sheets that touch along a line at rest and part in a pose, as lips do: no vertex of one goes over to the other.
TEST(Coarsen, WhatPartsInAPoseIsNotGluedTogether) {
  const Mesh square = test::make_grid(8);
  PosedSurface surface = surface_of(square);
  surface.poses.push_back(square.positions);
  const auto count = static_cast<std::uint32_t>(square.positions.size());
  for (std::uint32_t v = 0; v < count; ++v) {
    glm::vec3 lower = square.positions[v];
    lower.y = -lower.y;
    surface.poses[0].push_back(lower);
    surface.poses[1].push_back(lower - glm::vec3(0, 2, 0));
    surface.uvs.emplace_back(0);
    surface.normals.emplace_back(0, 0, 1);
  }
  for (const glm::uvec3 t : square.triangles) {
    surface.triangles.emplace_back(t.x + count, t.z + count, t.y + count);
    surface.parts.push_back(0);
  }
  Coarsener at_any_cost(surface);
  EXPECT_LT(at_any_cost.reduce(0, kAny), 60u);
  for (const glm::uvec3 t : triangles_of(at_any_cost)) {
    EXPECT_EQ(t.x < count, t.y < count);
    EXPECT_EQ(t.x < count, t.z < count);
  }
  Coarsener coarsener(surface);
  EXPECT_LT(coarsener.reduce(0, 1e-6), 60u);
  const std::vector<glm::uvec3> triangles = triangles_of(coarsener);
  EXPECT_NEAR(area_of(surface.poses[0], triangles), 128, 1e-4);
  // The line has the same places on both sides.
  const std::vector<std::uint32_t> welded = weld_by_position(surface.poses[0]);
  for (const BorderEdge& edge : border_edges(welded_triangles(welded, triangles))) {
    const glm::vec3 a = surface.poses[0][triangles[edge.triangle][edge.corner]];
    const glm::vec3 b = surface.poses[0][triangles[edge.triangle][(edge.corner + 1) % 3]];
    EXPECT_FALSE(a.y == 0 && b.y == 0) << "a crack at x = " << a.x;
  }
}

TEST(Coarsen, FacetsWithNormalsOfTheirOwnGoToo) {
  Mesh mesh;
  const Mesh tube = test::make_tube_mesh({.around = 24, .along = 32});
  std::vector<glm::vec3> normals;
  for (const glm::uvec3 t : tube.triangles) {
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.triangles.emplace_back(first, first + 1, first + 2);
    for (int c = 0; c < 3; ++c) mesh.positions.push_back(tube.positions[t[c]]);
    const glm::vec3 a = tube.positions[t.x];
    normals.insert(normals.end(), 3, glm::normalize(glm::cross(tube.positions[t.y] - a, tube.positions[t.z] - a)));
  }
  PosedSurface surface = surface_of(mesh);
  surface.normals = normals;
  Coarsener coarsener(surface);
  EXPECT_LE(coarsener.reduce(mesh.triangles.size() / 2, 0.1), mesh.triangles.size() / 2);
  const std::vector<glm::uvec3> triangles = triangles_of(coarsener);
  const std::vector<glm::uvec3> welded = welded_triangles(weld_by_position(mesh.positions), triangles);
  for (const BorderEdge& edge : border_edges(welded)) {
    const float x = mesh.positions[welded[edge.triangle][edge.corner]].x;
    EXPECT_TRUE(x == 0 || x == 8) << "a hole at x = " << x;
  }
  float least = 1;
  for (const glm::uvec3 t : triangles) {
    const glm::vec3 a = mesh.positions[t.x];
    const glm::vec3 facet = glm::normalize(glm::cross(mesh.positions[t.y] - a, mesh.positions[t.z] - a));
    for (int c = 0; c < 3; ++c) least = std::min(least, glm::dot(facet, normals[t[c]]));
  }
  EXPECT_GT(least, 0.5f) << "a corner is shaded as if it faced elsewhere";
}

}  // namespace
}  // namespace pelt
