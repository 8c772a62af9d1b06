// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>
#include <random>
#include <set>
#include <tuple>

#include <pelt/builtin.h>
#include <pelt/evaluate.h>
#include <pelt/normal_rings.h>

#include "shaders/normals/normals.h"
#include "tests/support/driven.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

constexpr glm::vec3 kNever(0, 0, 0);  // value of a normal before it is recomputed
constexpr glm::vec3 kUp(0, 0, 1);

float degrees_between(glm::vec3 a, glm::vec3 b) {
  return glm::degrees(std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b)));
}

CharacterMesh make_mesh(std::vector<glm::vec3> points, const std::vector<glm::vec3>& normals,
                        std::vector<glm::uvec3> triangles) {
  CharacterMesh mesh;
  mesh.binding.points = std::move(points);
  for (const glm::vec3& normal : normals) {
    mesh.binding.directions.emplace_back(shared::pack_normal(normal), shared::pack_tangent(glm::vec4(1, 0, 0, 1)));
  }
  mesh.triangles = std::move(triangles);
  return mesh;
}

std::vector<glm::vec3> normals_of(const CharacterMesh& mesh, std::span<const glm::vec3> positions) {
  std::vector<glm::vec3> normals(mesh.vertex_count(), kNever);
  recompute_normals(find_normal_rings(mesh), 0, mesh.vertex_count(), positions, normals, {});
  return normals;
}

std::vector<glm::vec3> normals_at_rest(const CharacterMesh& mesh) { return normals_of(mesh, mesh.binding.points); }

// Makes rows and columns of quads that close in neither direction; `place` maps u and v from 0 to 1.
template <class Place>
CharacterMesh make_grid(std::uint32_t columns, std::uint32_t rows, const Place& place) {
  std::vector<glm::vec3> points;
  std::vector<glm::vec3> normals;
  std::vector<glm::uvec3> triangles;
  for (std::uint32_t row = 0; row <= rows; ++row) {
    for (std::uint32_t column = 0; column <= columns; ++column) {
      const auto [point, normal] = place(static_cast<float>(column % columns) / static_cast<float>(columns),
                                         static_cast<float>(row) / static_cast<float>(rows));
      points.push_back(point);
      normals.push_back(normal);
      if (row == rows || column == columns) continue;
      const std::uint32_t at = row * (columns + 1) + column;
      triangles.push_back({at, at + 1, at + columns + 2});
      triangles.push_back({at, at + columns + 2, at + columns + 1});
    }
  }
  return make_mesh(points, normals, triangles);
}

// Makes a sphere with a UV seam, and with a vertex for each column at both poles.
CharacterMesh make_sphere(std::uint32_t columns, std::uint32_t rows) {
  return make_grid(columns, rows, [&](float u, float v) {
    const float height = -std::cos(glm::pi<float>() * v);
    const float ring = v == 0 || v == 1 ? 0 : std::sin(glm::pi<float>() * v);
    const glm::vec3 point(ring * std::cos(glm::two_pi<float>() * u), ring * std::sin(glm::two_pi<float>() * u), height);
    return std::pair(point, point);
  });
}

TEST(NormalRings, OfASphereAreItsNormalsAcrossSeamAndPoles) {
  const CharacterMesh sphere = make_sphere(64, 32);
  const std::vector<glm::vec3> normals = normals_at_rest(sphere);
  for (std::size_t v = 0; v < normals.size(); ++v) {
    EXPECT_LT(degrees_between(normals[v], sphere.binding.points[v]), 1.0f) << v;
  }
}

TEST(NormalRings, MakeVerticesThatASeamSplitsTheSameToTheBit) {
  const CharacterMesh sphere = make_sphere(20, 9);
  std::vector<glm::vec3> posed = sphere.binding.points;
  for (glm::vec3& p : posed) p += 0.3f * glm::sin(5.0f * glm::vec3(p.y, p.z, p.x));
  const std::vector<glm::vec3> normals = normals_of(sphere, posed);
  for (std::size_t row = 0; row <= 9; ++row) EXPECT_EQ(normals[21 * row], normals[21 * row + 20]) << row;
  for (std::size_t column = 0; column < 20; ++column) EXPECT_EQ(normals[column], normals[0]);
}

TEST(NormalRings, OfAClosedSurfaceWithoutSeamsAreAWordLongerThanTheirTriangles) {
  constexpr std::uint32_t kColumns = 12;
  constexpr std::uint32_t kRows = 7;
  CharacterMesh torus = make_grid(kColumns, kRows, [](float u, float v) {
    const float a = glm::two_pi<float>() * u;
    const float b = glm::two_pi<float>() * v;
    const glm::vec3 out(std::cos(a) * std::cos(b), std::sin(a) * std::cos(b), std::sin(b));
    return std::pair(glm::vec3(3 * std::cos(a), 3 * std::sin(a), 0) + out, out);
  });
  for (glm::uvec3& triangle : torus.triangles) {
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t row = triangle[k] / (kColumns + 1) % kRows;
      triangle[k] = row * kColumns + triangle[k] % (kColumns + 1) % kColumns;
    }
  }
  PackedBinding welded;
  for (std::uint32_t row = 0; row < kRows; ++row) {
    for (std::uint32_t column = 0; column < kColumns; ++column) {
      welded.points.push_back(torus.binding.points[row * (kColumns + 1) + column]);
      welded.directions.push_back(torus.binding.directions[row * (kColumns + 1) + column]);
    }
  }
  torus.binding = welded;
  EXPECT_EQ(find_normal_rings(torus).size(), welded.points.size() * (1 + 6 + 1));
}

TEST(NormalRings, KeepHardEdgesHard) {
  std::vector<glm::vec3> points;
  std::vector<glm::vec3> normals;
  std::vector<glm::uvec3> triangles;
  for (int axis = 0; axis < 3; ++axis) {
    for (const float side : {-1.0f, 1.0f}) {
      glm::vec3 normal(0);
      normal[axis] = side;
      glm::vec3 right(0);
      right[(axis + 1) % 3] = side;
      glm::vec3 up(0);
      up[(axis + 2) % 3] = 1;
      const auto first = static_cast<std::uint32_t>(points.size());
      for (const glm::vec2 corner : {glm::vec2(-1, -1), glm::vec2(1, -1), glm::vec2(1, 1), glm::vec2(-1, 1)}) {
        points.push_back(normal + corner.x * right + corner.y * up);
        normals.push_back(normal);
      }
      triangles.push_back({first, first + 1, first + 2});
      triangles.push_back({first, first + 2, first + 3});
    }
  }
  const CharacterMesh cube = make_mesh(points, normals, triangles);
  const std::vector<glm::vec3> found = normals_at_rest(cube);
  for (std::size_t v = 0; v < found.size(); ++v) EXPECT_LT(degrees_between(found[v], normals[v]), 0.01f) << v;
}

TEST(NormalRings, AreTheSameWhicheverWayAllTrianglesAreWound) {
  CharacterMesh sphere = make_sphere(12, 7);
  const std::vector<glm::vec3> expected = normals_at_rest(sphere);
  for (glm::uvec3& triangle : sphere.triangles) std::swap(triangle.y, triangle.z);
  const std::vector<glm::vec3> found = normals_at_rest(sphere);
  for (std::size_t v = 0; v < found.size(); ++v) EXPECT_LT(degrees_between(found[v], expected[v]), 0.01f) << v;
}

// Triangles share edges, corners or nothing in every way: the sums are those of the triangles one by one.
TEST(NormalRings, OfAnyTrianglesSumTheirAreas) {
  std::mt19937 random(7);
  const auto number = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  for (const std::uint32_t vertices : {3u, 4u, 7u, 40u, 300u}) {
    std::vector<glm::vec3> points;
    for (std::uint32_t v = 0; v < vertices; ++v) points.emplace_back(number(1000), number(1000), number(1000));
    std::vector<glm::uvec3> triangles;
    std::vector<glm::vec3> sums(vertices, glm::vec3(0));
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
    for (std::uint32_t t = 0; t < 3 * vertices; ++t) {
      glm::uvec3 triangle(number(vertices), number(vertices), number(vertices));
      if (t % 5 == 4) triangle = triangles[number(t)];  // the same triangle, from another corner
      if (t % 2 == 1) triangle = {triangle.y, triangle.z, triangle.x};
      triangles.push_back(triangle);
      const auto [a, b, c] = std::tuple(triangle.x, triangle.y, triangle.z);
      const std::uint32_t least = std::min({a, b, c});
      const auto turned = least == a ? std::tuple(a, b, c) : least == b ? std::tuple(b, c, a) : std::tuple(c, a, b);
      if (!seen.insert(turned).second) continue;
      for (int k = 0; k < 3; ++k) sums[triangle[k]] += glm::cross(points[b] - points[a], points[c] - points[a]);
    }
    std::vector<glm::vec3> normals;
    for (const glm::vec3& sum : sums) normals.push_back(glm::length(sum) > 0 ? glm::normalize(sum) : kUp);
    const std::vector<glm::vec3> found = normals_at_rest(make_mesh(points, normals, triangles));
    for (std::uint32_t v = 0; v < vertices; ++v) {
      if (glm::length(sums[v]) > 0) {
        EXPECT_LT(degrees_between(found[v], normals[v]), 0.05f) << v;
      } else {
        EXPECT_EQ(found[v], kNever);
      }
    }
  }
}

TEST(NormalRings, LeaveVerticesAloneThatTheirTrianglesSayNothingAbout) {
  const std::vector<glm::vec3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 5, 5}};
  const std::vector<glm::vec3> normals(4, kUp);
  const std::vector<glm::vec3> never(4, kNever);
  EXPECT_TRUE(find_normal_rings(make_mesh({}, {}, {})).empty());
  EXPECT_TRUE(find_normal_rings(make_mesh(points, normals, {})).empty());
  // Triangles that name a vertex twice, that lie both ways round, that have no area, or that are too steep for the
  // authored normal.
  EXPECT_TRUE(find_normal_rings(make_mesh(points, normals, {{0, 1, 1}, {2, 2, 2}})).empty());
  EXPECT_TRUE(find_normal_rings(make_mesh(points, normals, {{0, 1, 2}, {0, 2, 1}})).empty());
  EXPECT_TRUE(find_normal_rings(make_mesh({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, normals, {{0, 1, 2}})).empty());
  EXPECT_TRUE(find_normal_rings(make_mesh(points, std::vector(4, glm::vec3(1, 0, 0)), {{0, 1, 2}})).empty());

  const CharacterMesh one = make_mesh(points, normals, {{0, 1, 2}});
  EXPECT_EQ(normals_at_rest(one), (std::vector<glm::vec3>{kUp, kUp, kUp, kNever}));
  EXPECT_EQ(normals_of(one, std::vector(4, glm::vec3(1, 2, 3))), never) << "collapsed";
  EXPECT_EQ(normals_of(one, std::vector<glm::vec3>{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 0, 0}}), never) << "a line";
  for (const float bad : {1e30f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_EQ(normals_of(one, std::vector<glm::vec3>{{0, 0, 0}, {bad, 0, 0}, {0, bad, 0}, {0, 0, 0}}), never) << bad;
  }
}

TEST(NormalRings, OfVastFansAndCrowdedPlacesStaySmall) {
  constexpr std::uint32_t kCount = 20000;
  std::vector<glm::vec3> points{{0, 0, 0}};
  std::vector<glm::uvec3> triangles;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const float angle = glm::two_pi<float>() * static_cast<float>(i) / kCount;
    points.emplace_back(std::cos(angle), std::sin(angle), 0);
    triangles.push_back({0, i + 1, (i + 1) % kCount + 1});
  }
  EXPECT_EQ(find_normal_rings(make_mesh(points, std::vector(points.size(), kUp), triangles)).size(),
            kCount + 1 + 3 * kCount)
      << "the hub has none";
  // The hub of as many triangles as one invocation may sum has a ring, and of one more it has none.
  for (const std::uint32_t count : {4096u, 4097u}) {
    const std::vector<glm::uvec3> few(triangles.begin(), triangles.begin() + count);
    const auto rings = find_normal_rings(make_mesh(points, std::vector(points.size(), kUp), few));
    EXPECT_EQ(rings[0] == shared::kNoIndex, count == 4097) << count;
    EXPECT_NE(rings[1], shared::kNoIndex);
  }

  // All apexes coincide: they would share one ring.
  points.clear();
  triangles.clear();
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const auto x = static_cast<float>(i);
    points.insert(points.end(), {glm::vec3(0), {x, 1, 0}, {-1, 2 * x, 0}});
    triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  EXPECT_LE(find_normal_rings(make_mesh(points, std::vector(points.size(), kUp), triangles)).size(), 9 * kCount);
}

TEST(NormalRings, MakeTangentsOrthogonalAndKeepHandedness) {
  const CharacterMesh mesh = make_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, std::vector(3, kUp), {{0, 1, 2}});
  std::vector<glm::vec3> normals(3, kNever);
  std::vector<glm::vec4> tangents{{0.6f, 0, 0.8f, -1}, {0, 0, 1, 1}, {0, -1, 0, -1}};
  recompute_normals(find_normal_rings(mesh), 0, 2, mesh.binding.points, normals, tangents);
  EXPECT_EQ(normals, (std::vector<glm::vec3>{kUp, kUp, kNever})) << "of the range alone";
  EXPECT_EQ(tangents[0], glm::vec4(1, 0, 0, -1));
  EXPECT_NEAR(glm::length(glm::vec3(tangents[1])), 1, 1e-6);
  EXPECT_EQ(tangents[1].z, 0);
  EXPECT_EQ(tangents[1].w, 1);
  EXPECT_EQ(tangents[2], glm::vec4(0, -1, 0, -1));
}

TEST(RecomputedNormals, OfAFineSmoothMeshAtRestAreItsOwn) {
  const Character character = test::bound_by(make_biped(), "linear-blend");
  Evaluator evaluator(character, {.normal_mode = NormalMode::kRecomputed});
  evaluator.evaluate();
  double sum = 0;
  std::size_t count = 0;
  std::size_t rings = 0;
  for (const CharacterMesh& mesh : character->meshes) {
    const std::vector<std::uint32_t> found = find_normal_rings(mesh);
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v, ++count) {
      if (found.empty() || found[v] == shared::kNoIndex) continue;
      ++rings;
      sum += degrees_between(evaluator.normals()[mesh.first_vertex + v],
                             shared::unpack_normal(mesh.binding.directions[v].x));
    }
  }
  EXPECT_LT(sum / static_cast<double>(rings), 2.0);
  EXPECT_GT(rings, 0.99 * static_cast<double>(count));
}

// Frames without gradients miss that a tube with a scaled end is a cone from x = 3 to 5, in which weights change.
TEST(RecomputedNormals, FollowTheSurfaceWhereWeightsChange) {
  const Model model = test::make_tube({.around = 48, .along = 64, .joints = 2});
  const Character character = test::bound_by(model, "linear-blend");
  std::vector<glm::mat4> joints = test::bind_matrices(model);
  joints[1] = joints[1] * glm::scale(glm::mat4(1), glm::vec3(1, 3, 3));
  const auto worst_lean = [&](NormalMode mode) {
    Evaluator evaluator(character, {.normal_mode = mode});
    evaluator.pose(joints);
    evaluator.evaluate();
    float worst = 0;
    for (const CharacterMesh& mesh : character->meshes) {
      for (const glm::uvec3& t : mesh.triangles) {
        const std::span<const glm::vec3> p = evaluator.positions().subspan(mesh.first_vertex);
        if (std::abs(mesh.binding.points[t.x].x - 4) > 0.7f) continue;
        const glm::vec3 facet = glm::cross(p[t.y] - p[t.x], p[t.z] - p[t.x]);
        for (int k = 0; k < 3; ++k)
          worst = std::max(worst, degrees_between(evaluator.normals()[mesh.first_vertex + t[k]], facet));
      }
    }
    return worst;
  };
  EXPECT_GT(worst_lean(NormalMode::kBlended), 30.0f);
  EXPECT_LT(worst_lean(NormalMode::kRecomputed), 10.0f);
}

}  // namespace
}  // namespace pelt
