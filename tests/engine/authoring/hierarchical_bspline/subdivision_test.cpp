// SPDX-License-Identifier: MIT
// Catmull-Clark subdivision against the rules of the literature, which the test applies itself (Catmull and Clark 1978;
// Halstead, Kass and DeRose 1993; DeRose, Kass and Truong 1998).
#include "engine/authoring/hierarchical_bspline/subdivision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <map>

#include "engine/authoring/hierarchical_bspline/painting.h"
#include "engine/authoring/hierarchical_bspline/surface.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/tube_surface.h"

namespace pelt::hierarchical_bspline {
namespace {

using testing::HasSubstr;

using Points = std::vector<glm::dvec3>;

struct ControlMesh {
  std::vector<glm::vec3> points;
  Polygons faces;

  HierarchicalBsplineParameters surface(std::size_t levels) const {
    HierarchicalBsplineParameters parameters;
    parameters.control = points;
    parameters.faces = faces;
    parameters.levels.resize(levels);
    return parameters;
  }
};

Surface surface_over(const ControlMesh& mesh, std::size_t levels) {
  return test::must(Surface::create(mesh.surface(levels), "layer"));
}

constexpr std::uint32_t kRings = 7;
constexpr std::uint32_t kRingSize = 6;

// A torus of quads, wound outward, its rings uneven. Point (i, j) has the number i * kRingSize + j.
ControlMesh torus() {
  ControlMesh mesh;
  for (std::uint32_t i = 0; i < kRings; ++i) {
    for (std::uint32_t j = 0; j < kRingSize; ++j) {
      const float around = glm::two_pi<float>() * static_cast<float>(i) / kRings;
      const float across = glm::two_pi<float>() * static_cast<float>(j) / kRingSize;
      const float radius = 3 + (1 + 0.1f * static_cast<float>(i % 3)) * std::cos(across);
      mesh.points.emplace_back(radius * std::cos(around), radius * std::sin(around), std::sin(across));
      const auto at = [&](std::uint32_t di, std::uint32_t dj) {
        return (i + di) % kRings * kRingSize + (j + dj) % kRingSize;
      };
      mesh.faces.push_back({at(0, 0), at(1, 0), at(1, 1), at(0, 1)});
    }
  }
  return mesh;
}

// A box, wound outward, with one corner drawn out.
ControlMesh box() {
  ControlMesh mesh;
  for (int i = 0; i < 8; ++i) mesh.points.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  mesh.faces = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  mesh.points[7] = {1.5f, 2, 1.2f};
  return mesh;
}

// Two pyramids over a pentagon: points of valence 5 and 4, triangles.
ControlMesh two_pyramids() {
  ControlMesh mesh;
  for (std::uint32_t i = 0; i < 5; ++i) {
    const float angle = glm::two_pi<float>() * static_cast<float>(i) / 5;
    mesh.points.emplace_back(std::cos(angle), std::sin(angle), 0.1f * static_cast<float>(i));
    mesh.faces.push_back({i, (i + 1) % 5, 5});
    mesh.faces.push_back({(i + 1) % 5, i, 6});
  }
  mesh.points.emplace_back(0.1f, 0.2f, 1.5f);
  mesh.points.emplace_back(0, 0, -1);
  return mesh;
}

// A prism over a pentagon: faces of five corners next to quads, all points of valence 3.
ControlMesh prism() {
  ControlMesh mesh;
  mesh.faces = {{4, 3, 2, 1, 0}, {5, 6, 7, 8, 9}};
  for (std::uint32_t i = 0; i < 10; ++i) {
    const float angle = glm::two_pi<float>() * static_cast<float>(i % 5) / 5;
    mesh.points.emplace_back(std::cos(angle), std::sin(angle), i < 5 ? 0 : 1.2f);
    if (i < 5) mesh.faces.push_back({i, (i + 1) % 5, 5 + (i + 1) % 5, 5 + i});
  }
  return mesh;
}

// A flat sheet of 4 x 4 points, wound towards +z.
ControlMesh open_sheet() {
  ControlMesh mesh;
  for (std::uint32_t i = 0; i < 16; ++i) {
    const std::uint32_t x = i % 4;
    const std::uint32_t y = i / 4;
    mesh.points.emplace_back(static_cast<float>(x * x) / 4, y, 0.3f * static_cast<float>(i * i % 3));
    if (x < 3 && y < 3) mesh.faces.push_back({i, i + 1, i + 5, i + 4});
  }
  return mesh;
}

const std::vector<ControlMesh>& closed_meshes() {
  static const std::vector<ControlMesh> meshes{torus(), box(), two_pyramids(), prism()};
  return meshes;
}

// The points of one step of Catmull-Clark on a closed mesh, by the rules.
struct Step {
  Points faces;
  std::map<std::pair<std::uint32_t, std::uint32_t>, glm::dvec3> edges;
  Points vertices;

  explicit Step(const ControlMesh& mesh) : vertices(mesh.points.size()) {
    const Points points(mesh.points.begin(), mesh.points.end());
    std::map<std::pair<std::uint32_t, std::uint32_t>, glm::dvec3> beside;  // sum of both face points
    Points face_sum(points.size(), glm::dvec3(0));
    Points middle_sum(points.size(), glm::dvec3(0));
    std::vector<int> valence(points.size(), 0);
    for (const std::vector<std::uint32_t>& face : mesh.faces) {
      glm::dvec3 mean(0);
      for (const std::uint32_t v : face) mean += points[v] / static_cast<double>(face.size());
      faces.push_back(mean);
      for (std::size_t c = 0; c < face.size(); ++c) {
        const std::uint32_t from = face[c];
        const std::uint32_t to = face[(c + 1) % face.size()];
        beside[std::minmax(from, to)] += mean;
        face_sum[from] += mean;
        middle_sum[from] += 0.5 * (points[from] + points[to]);
        ++valence[from];
      }
    }
    for (const auto& [edge, sum] : beside) edges[edge] = (points[edge.first] + points[edge.second] + sum) / 4.0;
    for (std::size_t v = 0; v < points.size(); ++v) {
      const double n = valence[v];
      vertices[v] = (face_sum[v] / n + 2.0 * middle_sum[v] / n + (n - 3) * points[v]) / n;
    }
  }
};

double distance_to_any(const Points& points, const glm::dvec3& place) {
  double least = 1e9;
  for (const glm::dvec3& p : points) least = std::min(least, glm::distance(p, place));
  return least;
}

TEST(Subdivision, RefinesByTheRulesOfCatmullAndClark) {
  for (const ControlMesh& mesh : closed_meshes()) {
    const Surface surface = surface_over(mesh, 2);
    const Step step(mesh);
    const Points refined(surface.control(1).begin(), surface.control(1).end());
    ASSERT_EQ(refined.size(), mesh.points.size() + step.edges.size() + mesh.faces.size());
    // Vertices keep their numbers.
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      EXPECT_LT(glm::distance(refined[v], step.vertices[v]), 1e-12) << v;
      EXPECT_EQ(surface.topology().child(0, static_cast<std::uint32_t>(v)), v);
    }
    const Points added(refined.begin() + static_cast<std::ptrdiff_t>(mesh.points.size()), refined.end());
    for (const glm::dvec3& face : step.faces) EXPECT_LT(distance_to_any(added, face), 1e-12);
    for (const auto& [edge, point] : step.edges) EXPECT_LT(distance_to_any(added, point), 1e-12);
  }
}

// n^2 v + 4 sum e + sum f over n (n + 5), of the points of the first step, in which all faces are quads. The normal is
// that of the tangents of the same paper. The points of a fan are in order round the vertex, counterclockwise.
TEST(Subdivision, HasTheLimitsOfHalstead) {
  for (const ControlMesh& mesh : closed_meshes()) {
    const Surface surface = surface_over(mesh, 2);
    const Step step(mesh);
    for (std::uint32_t v = 0; v < mesh.points.size(); ++v) {
      // The edge point of each face at the vertex towards the next corner, and its face point.
      std::map<std::uint32_t, std::pair<std::uint32_t, glm::dvec3>> fan;  // by next corner: corner before, face point
      for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
        const std::vector<std::uint32_t>& face = mesh.faces[f];
        const auto corner = static_cast<std::size_t>(std::ranges::find(face, v) - face.begin());
        if (corner == face.size()) continue;
        fan[face[(corner + 1) % face.size()]] = {face[(corner + face.size() - 1) % face.size()], step.faces[f]};
      }
      const auto n = static_cast<double>(fan.size());
      const double turn = glm::two_pi<double>() / n;
      const double a = 1 + std::cos(turn) + std::cos(turn / 2) * std::sqrt(2 * (9 + std::cos(turn)));
      glm::dvec3 sum = n * n * step.vertices[v];
      glm::dvec3 along(0);
      glm::dvec3 across(0);
      std::uint32_t at = fan.begin()->first;
      for (std::size_t i = 0; i < fan.size(); ++i) {
        const glm::dvec3 edge = step.edges.at(std::minmax(v, at));
        const auto [next, face] = fan.at(at);
        sum += 4.0 * edge + face;
        const auto k = static_cast<double>(i);
        along += a * std::cos(k * turn) * edge + (std::cos(k * turn) + std::cos((k + 1) * turn)) * face;
        across += a * std::sin(k * turn) * edge + (std::sin(k * turn) + std::sin((k + 1) * turn)) * face;
        at = next;
      }
      const glm::dvec3 normal = glm::normalize(glm::cross(along, across));
      for (const std::uint32_t level : {0u, 1u}) {
        const SurfacePoint limit = limit_points(surface, level)[v];
        EXPECT_LT(glm::distance(limit.position, sum / (n * (n + 5))), 1e-12) << v;
        ASSERT_TRUE(limit.has_frame());
        EXPECT_LT(glm::distance(limit.axes()[2], normal), 1e-9) << v << ", it looks the way of the winding";
      }
    }
  }
}

TEST(Subdivision, WeightsSumToOneAndTangentsToNothing) {
  std::vector<ControlMesh> meshes = closed_meshes();
  meshes.push_back(open_sheet());
  for (const ControlMesh& mesh : meshes) {
    HierarchicalBsplineParameters parameters = mesh.surface(3);
    parameters.creases = {{{{mesh.faces[0][0], mesh.faces[0][1], mesh.faces[0][2]}}, 1.5f}};
    const Surface surface = test::must(Surface::create(parameters, "layer"));
    const Topology& topology = surface.topology();
    for (const std::uint32_t level : {0u, 1u, 2u}) {
      for (std::uint32_t v = 0; v < topology.size(level); ++v) {
        glm::dvec3 sum(0);
        for (const Share& share : topology.limit(level, v, surface.control(level))) {
          sum += glm::dvec3(share.weight, share.along_u, share.along_v);
        }
        EXPECT_LT(glm::distance(sum, glm::dvec3(1, 0, 0)), 1e-12) << level << ' ' << v;
        if (level == 0) continue;
        double weights = 0;
        for (const auto& [parent, weight] : topology.refinement(level - 1, v)) weights += weight;
        EXPECT_NEAR(weights, 1, 1e-12) << level << ' ' << v;
      }
    }
  }
}

// Along a crease that stays sharp, and along a boundary, the surface has the cubic B-spline of the points on it.
TEST(Subdivision, SharpEdgesHaveTheirOwnCurve) {
  const ControlMesh mesh = torus();
  std::vector<std::uint32_t> loop;
  for (std::uint32_t i = 0; i <= kRings; ++i) loop.push_back(i % kRings * kRingSize + 2);
  const auto point = [&](std::size_t i) { return glm::dvec3(mesh.points[loop[i % kRings]]); };
  for (const float sharpness : {1.0f, 10.0f}) {
    HierarchicalBsplineParameters parameters = mesh.surface(3);
    parameters.creases = {{{loop}, sharpness}};
    const Surface surface = test::must(Surface::create(parameters, "layer"));
    for (std::size_t i = 0; i < kRings; ++i) {
      const glm::dvec3 refined = (point(i + kRings - 1) + 6.0 * point(i) + point(i + 1)) / 8.0;
      EXPECT_LT(glm::distance(surface.control(1)[loop[i]], refined), 1e-12) << "of any crease of sharpness 1 or more";
      const glm::dvec3 curve = (point(i + kRings - 1) + 4.0 * point(i) + point(i + 1)) / 6.0;
      const double off = glm::distance(limit_points(surface, 0)[loop[i]].position, curve);
      EXPECT_EQ(off < 1e-12, sharpness == 10) << off;
      // A crease of sharpness 1 is smooth from the next level on.
      const auto next = surface.topology().refinement(1, loop[i]);
      EXPECT_EQ(std::ranges::count_if(next, [](const auto& term) { return term.second != 0; }),
                sharpness == 10 ? 3 : 9);
    }
  }
}

TEST(Subdivision, BoundariesHaveTheirOwnCurveAndCornersStay) {
  const ControlMesh mesh = open_sheet();
  const Surface surface = surface_over(mesh, 1);
  const std::vector<SurfacePoint> limits = limit_points(surface, 0);
  for (const std::uint32_t corner : {0u, 3u, 12u, 15u}) {
    EXPECT_LT(glm::distance(limits[corner].position, glm::dvec3(mesh.points[corner])), 1e-12) << corner;
  }
  for (const glm::uvec3 along : {glm::uvec3(0, 1, 2), glm::uvec3(0, 4, 8), glm::uvec3(13, 14, 15)}) {
    const auto at = [&](int i) { return glm::dvec3(mesh.points[along[i]]); };
    EXPECT_LT(glm::distance(limits[along.y].position, (at(0) + 4.0 * at(1) + at(2)) / 6.0), 1e-12);
  }
}

// If the tangents of a limit vanish, two edges of a face replace them; on a line there is no tangent plane.
TEST(Subdivision, FindsATangentPlaneInAFold) {
  ControlMesh needle = box();
  for (glm::vec3& p : needle.points) p = {p.x, 0, 0};
  EXPECT_FALSE(limit_points(surface_over(needle, 1), 0)[0].has_frame());

  // Four faces lie on one another; the first has its edges from the middle along y, then x.
  ControlMesh fold;
  fold.points = {{1, 1, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}, {1, 1, 0}};
  fold.faces = {{0, 1, 4, 3}, {1, 2, 5, 4}, {3, 4, 7, 6}, {4, 5, 8, 7}};
  const SurfacePoint middle = limit_points(surface_over(fold, 1), 0)[4];
  ASSERT_TRUE(middle.has_frame());
  EXPECT_LT(glm::distance(middle.position, glm::dvec3(1.0 / 3, 1.0 / 3, 0)), 1e-12);
  EXPECT_LT(glm::distance(middle.axes()[2], glm::dvec3(0, 0, -1)), 1e-12);
}

TEST(Subdivision, RefusesWhatIsNoMeshAndNamesTheFace) {
  HierarchicalBsplineParameters parameters = box().surface(1);
  const auto expect_refused = [&](const char* why) {
    const Result<Surface> surface = Surface::create(parameters, "layer 0");
    ASSERT_FALSE(surface) << why;
    EXPECT_EQ(surface.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(surface.error().message, testing::AllOf(HasSubstr(why), HasSubstr("layer 0")));
    parameters = box().surface(1);
  };
  parameters.faces.push_back({0, 1, 6});
  expect_refused("the edge from point 0 to 1 belongs to more than two faces: 0, 2 and 6");
  parameters.creases = {{.paths = {{3}}}};
  expect_refused("a path of a crease has 1 vertices, and needs at least two");
  parameters.creases = {{{{0, 2, 3, 0}}, 10}};
  expect_refused("a crease follows no edge: from point 3 to 0");
  parameters.creases = {{{{0, 99}}, 10}};
  expect_refused("a crease follows no edge: from point 0 to 99");
  parameters.control[5].x = std::numeric_limits<float>::infinity();
  expect_refused("control vertex 5 is not finite");
  parameters.levels = {{}, {.offsets = {{26, {}}}}};
  expect_refused("level 1: there is no vertex 26, only 26");
  parameters.levels.resize(11);
  expect_refused("level 9 has more than 1048576 vertices");
  for (glm::vec3& point : parameters.control) point = {point.x, 0, 0};
  parameters.levels = {{}, {.offsets = {{3, {}}}}};
  expect_refused("level 1: the coarser level has no tangent plane at vertex 3");
}

// ------------------------------------------------------------------------------------------- surfaces over such meshes

bool is_of_the_base(const Surface& surface, std::span<const Share> shares) {
  return std::ranges::all_of(shares, [&](const Share& s) { return surface.vertices()[s.vertex].level == 0; });
}

TEST(SurfaceOverAMesh, OverlaysAreLocal) {
  HierarchicalBsplineParameters parameters = torus().surface(3);
  parameters.levels[1].offsets = {{0, {0, 0, 0.3f}}};
  parameters.levels[2].offsets = {{0, {0.1f, 0, 0.1f}}};
  Surface surface = test::must(Surface::create(parameters, "layer"));
  const Surface plain = surface_over(torus(), 3);
  EXPECT_EQ(surface.vertices().size(), torus().points.size() + 2);
  std::size_t changed = 0;
  for (std::uint32_t v = 0; v < surface.topology().size(2); ++v) {
    const std::vector<Share> limit = surface.topology().limit(2, v, surface.control(2));
    const std::vector<Share> shares = surface.stored_shares(2, limit);
    const glm::dvec3 position = surface.evaluate(2, limit).position;
    glm::dvec3 sum(0);
    double weight = 0;
    for (const Share& share : shares) {
      sum += share.weight * glm::dvec3(surface.vertices()[share.vertex].rest);
      weight += share.weight;
    }
    EXPECT_LT(glm::distance(sum, position), 1e-6) << "shares and the dense level are two ways to one point";
    EXPECT_NEAR(weight, 1, 1e-12);
    const bool moved = glm::distance(position, limit_points(plain, 2)[v].position) > 1e-9;
    EXPECT_EQ(moved, !is_of_the_base(surface, shares)) << v;
    changed += moved ? 1 : 0;
  }
  // A vertex of level 1 shapes the limit points of level 2 within two edges of it, except the border of its B-spline.
  EXPECT_EQ(changed, 49u);
}

// An offset is in the axes of the tangent plane, metres, from the refined position of the vertex.
TEST(SurfaceOverAMesh, OffsetsAreInTheTangentPlane) {
  HierarchicalBsplineParameters parameters = two_pyramids().surface(2);
  const Surface plain = surface_over(two_pyramids(), 2);
  const std::vector<SurfacePoint> limits = limit_points(plain, 1);
  for (std::uint32_t v = 0; v < limits.size(); ++v) parameters.levels[1].offsets.push_back({v, {0.3f, 0.1f, -0.2f}});
  const Surface surface = test::must(Surface::create(parameters, "layer"));
  for (std::uint32_t v = 0; v < limits.size(); ++v) {
    const glm::dvec3 moved = glm::dvec3(surface.find(1, v)->rest) - plain.control(1)[v];
    const glm::dvec3 normal = glm::normalize(glm::cross(limits[v].tangent_u, limits[v].tangent_v));
    EXPECT_NEAR(glm::dot(moved, normal), -0.2, 1e-6) << v;
    EXPECT_NEAR(glm::dot(moved, glm::normalize(limits[v].tangent_u)), 0.3, 1e-6) << v;
    EXPECT_NEAR(glm::length(moved), std::sqrt(0.14), 1e-6) << v;
  }
}

// Returns a surface over a mesh and one over a grid, each with details on two levels.
std::vector<HierarchicalBsplineParameters> with_detail() {
  HierarchicalBsplineParameters mesh = prism().surface(3);
  mesh.levels[1].offsets = {{2, {0.1f, 0, 0.3f}}, {12, {0, 0.05f, -0.1f}}};
  mesh.levels[2].offsets = {{2, {0, 0.1f, 0.1f}}, {20, {0.1f, 0, 0.2f}}};
  HierarchicalBsplineParameters grid = test::tube_surface();
  test::add_overlays(grid);
  return {mesh, grid};
}

TEST(SurfaceDetail, DoesNotDependOnTheOrderInWhichItIsListed) {
  for (HierarchicalBsplineParameters parameters : with_detail()) {
    const Surface first = test::must(Surface::create(parameters, "layer"));
    for (SurfaceLevel& level : parameters.levels) std::ranges::reverse(level.offsets);
    const Surface second = test::must(Surface::create(parameters, "layer"));
    ASSERT_EQ(first.vertices().size(), second.vertices().size());
    for (std::size_t v = 0; v < first.vertices().size(); ++v) {
      EXPECT_EQ(first.vertices()[v].number, second.vertices()[v].number);
      EXPECT_EQ(first.vertices()[v].rest, second.vertices()[v].rest);
    }
  }
}

}  // namespace
}  // namespace pelt::hierarchical_bspline
