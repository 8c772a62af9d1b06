// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <pelt/evaluate.h>
#include <pelt/tools/surface_vertices.h>

#include "engine/authoring/hierarchical_bspline/surface.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/tube_surface.h"

namespace pelt::hierarchical_bspline {
namespace {

HierarchicalBsplineParameters tube_of_levels() {
  HierarchicalBsplineParameters surface = test::tube_surface();
  test::add_overlays(surface);
  return surface;
}

// A step along the axes and an offset by that step move the vertex to the same position.
TEST(SurfaceVertices, MoveByTheirAxes) {
  const HierarchicalBsplineParameters before = tube_of_levels();
  const SurfaceVertices found = test::must(surface_vertices(before));
  const glm::vec3 step(0.05f, -0.02f, 0.11f);
  for (const SurfaceVertex& vertex : found.vertices) {
    HierarchicalBsplineParameters after = before;
    if (vertex.level == 0) {
      after.control[vertex.number] += step;
    } else {
      std::vector<VertexOffset>& offsets = after.levels[vertex.level].offsets;
      const auto known = std::ranges::find(offsets, vertex.number, &VertexOffset::vertex);
      known == offsets.end() ? offsets.push_back({vertex.number, step}) : static_cast<void>(known->offset += step);
    }
    const Surface moved = test::must(Surface::create(after, "layer"));
    EXPECT_LT(glm::distance(moved.find(vertex.level, vertex.number)->rest, vertex.rest + vertex.axes * step), 1e-5f);
  }
}

// Points of a level's mesh, in double precision: (1 4 1) / 6 of its control vertices in each direction.
TEST(SurfaceVertices, MakeAMeshOfTheSurface) {
  const HierarchicalBsplineParameters parameters = tube_of_levels();
  const SurfaceVertices stored = test::must(surface_vertices(parameters));
  for (const std::uint32_t level : {0u, 1u, 3u}) {
    HierarchicalBsplineParameters up_to = parameters;
    up_to.levels.resize(level + 1);
    const Surface surface = test::must(Surface::create(up_to, "layer"));
    const Grid& grid = surface.grid()->grid(level);
    const SurfaceMesh mesh = test::must(surface_mesh(parameters, level));
    const auto [along, across] = std::pair(grid.along[0].count - 2, grid.along[1].count);
    ASSERT_EQ(mesh.points.size(), along * across) << "both outermost rings have the points of those inside";
    EXPECT_EQ(mesh.faces.size(), (along - 1) * across);
    const double mask[] = {1 / 6.0, 4 / 6.0, 1 / 6.0};
    for (std::uint32_t i = 1; i <= along; ++i) {
      for (std::uint32_t j = 0; j < across; ++j) {
        glm::dvec3 wanted(0), point(0);
        for (std::uint32_t a = 0; a < 3; ++a) {
          for (std::uint32_t b = 0; b < 3; ++b) {
            const std::uint32_t number = grid.number(i + a - 1, (j + b + across - 1) % across);
            wanted += mask[a] * mask[b] * surface.control(level)[number];
          }
        }
        for (const auto& [vertex, weight] : mesh.points[(i - 1) * across + j]) {
          point += double{weight} * glm::dvec3(stored.vertices[vertex].rest);
        }
        EXPECT_LT(glm::distance(point, wanted), 1e-5) << level << ": " << i << ", " << j;
      }
    }
  }
}

// Over a mesh the vertices of a level are one row, and its edges those of the control mesh between stored ones.
TEST(SurfaceVertices, OverAMeshAreOneRowALevel) {
  HierarchicalBsplineParameters parameters = test::tube_mesh_surface(5);
  const SurfaceVertices found = test::must(surface_vertices(parameters));
  ASSERT_EQ(found.grids.size(), 2u);
  EXPECT_EQ(found.grids[0].along, (std::array<std::uint32_t, 2>{42, 1}));
  EXPECT_EQ(found.grids[0].stored, 42u);
  EXPECT_EQ(found.grids[0].edges.size(), 5u * 8 + 4 * 8 + 2 * 8) << "rings, lines along and spokes";
  // Each vertex, edge and face makes a vertex.
  EXPECT_EQ(found.grids[1].along, (std::array<std::uint32_t, 2>{42 + 88 + 32 + 16, 1}));
  EXPECT_EQ(found.grids[1].stored, 2u + 4 + 2);
  const SurfaceVertex& first = found.vertices[42];
  const glm::vec3 step(0.05f, -0.02f, 0.11f);
  ASSERT_EQ(first.level, 1u);
  parameters.levels[1].offsets.push_back({first.number, step});
  EXPECT_LT(glm::distance(test::must(surface_vertices(parameters)).vertices[42].rest, first.rest + first.axes * step),
            1e-5f);
}

TEST(SurfaceVertices, AreNotRoundWhatDoesNotExist) {
  const HierarchicalBsplineParameters parameters = test::tube_mesh_surface(5);
  EXPECT_EQ(test::must(refined_round(parameters, 0, 40)).size(), 1u + 8 + 8) << "the middle of an end";
  EXPECT_TRUE(refined_round(parameters, 1, 170));
  EXPECT_EQ(refined_round(parameters, 0, 42).error().code, ErrorCode::kNotFound);
  for (const std::uint32_t level : {2u, 0xFFFFFFFEu, 0xFFFFFFFFu}) {
    EXPECT_EQ(refined_round(parameters, level, 0).error().code, ErrorCode::kNotFound);
  }
}

// The vertices of the next level that lie nearest to a vertex are those round it.
TEST(SurfaceVertices, AreRefinedRoundAVertex) {
  HierarchicalBsplineParameters parameters = test::tube_surface();
  parameters.levels.resize(2);
  SurfaceLevel& next = parameters.levels[1];
  const SurfaceVertices coarse = test::must(surface_vertices(parameters));
  for (std::uint32_t number = 0; number < coarse.grids[0].size(); ++number) {
    const std::vector<std::uint32_t> round = test::must(refined_round(parameters, 0, number));
    EXPECT_EQ(round.size(), number < 8 || number >= 80 ? 3u : 9u) << number;
    EXPECT_TRUE(std::ranges::is_sorted(round));
    next.offsets.clear();
    for (std::uint32_t v = 0; v < coarse.grids[1].size(); ++v) next.offsets.push_back({v, {}});
    const SurfaceVertices fine = test::must(surface_vertices(parameters));
    const auto distance = [&](const SurfaceVertex& vertex) {
      return glm::distance(vertex.rest, coarse.vertices[number].rest);
    };
    float farthest = 0;
    float nearest = 1e9f;
    for (const SurfaceVertex& vertex : fine.vertices) {
      if (vertex.level == 0) continue;
      const bool is_round = std::ranges::binary_search(round, vertex.number);
      (is_round ? farthest : nearest) =
          is_round ? std::max(farthest, distance(vertex)) : std::min(nearest, distance(vertex));
    }
    EXPECT_LT(farthest, nearest) << number;
  }
}

// Returns the skin at bind, in the order of the model.
std::vector<glm::vec3> skin_at_bind(const HierarchicalBsplineParameters& surface) {
  const Bound bound = test::bound(test::make_tube(), test::rig_of(surface, "tube"));
  return test::posed(bound.character, test::bind_matrices(test::make_tube()), "tube");
}

// Moving all vertices of the base by one vector moves the whole skin, including details of finer levels.
TEST(SurfaceMoves, TakeTheSkinWithThem) {
  HierarchicalBsplineParameters surface = tube_of_levels();
  surface.levels[1].attach.clear();  // of vertices that would stay with their joint
  const std::vector<glm::vec3> rest = skin_at_bind(surface);
  const glm::vec3 way(0.1f, 0.4f, -0.3f);
  for (std::uint32_t v = 0; v < surface.control.size(); ++v) surface.levels[0].moves.push_back({v, way});
  const std::vector<glm::vec3> moved = skin_at_bind(surface);
  for (std::size_t v = 0; v < rest.size(); ++v) EXPECT_LT(glm::distance(moved[v], rest[v] + way), 1e-4f);
}

// Offsets of a vertex of level 1 are in its tangent-plane frame: along the normal, the skin there moves outwards.
TEST(SurfaceMoves, AreInTheFrameOfTheLevelBefore) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  surface.levels.resize(2);
  surface.levels[1].offsets = {{7 * 16 + 2, {}}};
  const std::vector<glm::vec3> rest = skin_at_bind(surface);
  const SurfaceVertex vertex = test::must(surface_vertices(surface)).vertices.back();
  surface.levels[1].moves = {{7 * 16 + 2, {0, 0, 0.3f}}};
  const std::vector<glm::vec3> moved = skin_at_bind(surface);
  float most = 0;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    const glm::vec3 way = moved[v] - rest[v];
    most = std::max(most, glm::length(way));
    if (glm::length(way) > 0.05f) {
      EXPECT_GT(glm::dot(way, vertex.axes[2]), 0.8f * glm::length(way)) << v;
    }
    if (glm::distance(rest[v], vertex.rest) > 2.5f) {
      EXPECT_LT(glm::length(way), 1e-5f) << "far from it: " << v;
    }
  }
  EXPECT_GT(most, 0.05f);
  EXPECT_LT(most, 0.3f);
}

// Keys, limits and masses start from the position at bind, with its offset: a mass rests there, a key adds to it, a
// limit keeps it.
TEST(SurfaceMoves, AreKeptByKeysLimitsAndMasses) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  const glm::vec3 way(0.1f, 0, 0.2f);
  surface.levels[0].moves = {{20, way}, {40, way}, {56, {0, -0.8f, 0}}, {72, way}};
  surface.levels[0].keys = {
      {.control = "swell", .keys = {{.at = 1, .offsets = {{20, {0, 1, 0}}}}}},
      {.follow = SurfaceFollow{0, 40, {0, 0, 1}}, .keys = {{.at = 0.4f, .offsets = {{8, {1, 0, 0}}}}}}};
  surface.levels[0].limits = {{SurfaceLimitKind::kDistance, "joint1", 0.5f, {{56, 56}}}};  // 7 * 8, at the top
  surface.levels[0].secondary = {{.rigidity = 2000, .vertices = {{72, 72}}}};
  const Bound bound = test::bound(test::make_tube(), test::rig_of(surface, "tube"));
  Evaluator evaluator(bound.character);
  evaluator.control(*bound.character->find_control("surface/swell"), 1);
  const auto frame = [&](glm::vec3 shift) {
    evaluator.advance(1.0f / 240);
    std::vector<glm::mat4> joints = test::bind_matrices(test::make_tube());
    for (glm::mat4& joint : joints) joint[3] += glm::vec4(shift, 0);
    evaluator.pose(joints);
    evaluator.evaluate();
  };
  const auto of = [&](const char* mesh) { return test::positions_of(evaluator, bound.character, mesh)[0]; };
  for (int i = 0; i < 10; ++i) frame(glm::vec3(0));
  const std::vector<glm::vec3>& control = surface.control;
  EXPECT_LT(glm::distance(test::positions_of(evaluator, bound.character, "surface")[20],
                          control[20] + way + glm::vec3(0, 1, 0)),
            1e-5f);
  EXPECT_LT(glm::distance(of("surface following"), control[8] + glm::vec3(0.5f, 0, 0)), 1e-5f)
      << "vertex 40 moved by 0.2 m of 0.4 m";
  EXPECT_LT(glm::distance(of("surface limited"), glm::vec3(control[56].x, 0.5f, 0)), 1e-5f);
  EXPECT_LT(glm::distance(of("surface swinging"), control[72] + way), 1e-5f) << "it rests where it was moved to";
  frame({0, 0.01f, 0});
  const glm::vec3 swings = of("surface swinging") - (control[72] + way + glm::vec3(0, 0.01f, 0));
  EXPECT_GT(glm::length(swings), 1e-3f) << "and swings from there";
  for (int i = 0; i < 2000; ++i) frame({0, 0.01f, 0});
  EXPECT_LT(glm::distance(of("surface swinging"), control[72] + way + glm::vec3(0, 0.01f, 0)), 1e-4f);
}

TEST(SurfaceMoves, OfNoVertexOrOfOneTwiceAreRefused) {
  HierarchicalBsplineParameters surface = test::tube_surface();
  surface.levels[0].moves = {{11 * 8, {0, 1, 0}}};
  EXPECT_THAT(test::bind_error(test::make_tube(), test::rig_of(surface, "tube")),
              testing::HasSubstr("there is no vertex 88, only 88"));
  surface.levels[0].moves = {{40, {0, 1, 0}}, {40, {0, 0, 1}}};
  EXPECT_THAT(test::bind_error(test::make_tube(), test::rig_of(surface, "tube")),
              testing::HasSubstr("level 0: vertex 40 is moved twice"));
}

}  // namespace
}  // namespace pelt::hierarchical_bspline
