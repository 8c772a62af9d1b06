// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/surface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/authoring/hierarchical_bspline/control_mesh.h"
#include "tests/support/must.h"
#include "tests/support/tube_surface.h"

namespace pelt::hierarchical_bspline {
namespace {

using testing::HasSubstr;

HierarchicalBsplineParameters sheet() {
  HierarchicalBsplineParameters parameters;
  parameters.shape = {5, 6};
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 6; ++j) parameters.control.emplace_back(i, j, 0.1f * static_cast<float>(i * j % 3));
  }
  return parameters;
}

Surface made(const HierarchicalBsplineParameters& parameters) {
  return test::must(Surface::create(parameters, "layer"));
}

// Knot insertion (Boehm 1980) leaves the surface as it is, open and closed.
TEST(HierarchicalSurface, RefinementKeepsTheSurface) {
  for (const bool closed : {false, true}) {
    HierarchicalBsplineParameters parameters = sheet();
    parameters.closed_v = closed;
    parameters.levels.resize(3);
    const Surface surface = made(parameters);
    for (double u = 0; u <= 2; u += 0.23) {
      for (double v = 0; v <= 3; v += 0.31) {
        const SurfacePoint coarse = surface.evaluate(0, {u, v});
        for (const std::uint32_t level : {1u, 2u}) {
          const double scale = level == 1 ? 2 : 4;
          const SurfacePoint fine = surface.evaluate(level, scale * glm::dvec2(u, v));
          EXPECT_LT(glm::distance(fine.position, coarse.position), 1e-12);
          EXPECT_LT(glm::distance(scale * fine.tangent_u, coarse.tangent_u), 1e-11);
          EXPECT_LT(glm::distance(scale * fine.tangent_v, coarse.tangent_v), 1e-11);
        }
      }
    }
  }
}

// Shares and the dense grid are two ways to the same point.
TEST(HierarchicalSurface, SharesMakeThePoint) {
  HierarchicalBsplineParameters parameters = test::tube_surface();
  test::add_overlays(parameters);
  Surface surface = made(parameters);
  for (const glm::dvec2 uv : {glm::dvec2(14.2, 5.1), glm::dvec2(0, 0), glm::dvec2(32, 31.9), glm::dvec2(17.7, 19.3)}) {
    glm::dvec3 sum(0);
    for (const Share& share : surface.shares(2, uv)) {
      sum += share.weight * glm::dvec3(surface.vertices()[share.vertex].rest);
    }
    EXPECT_LT(glm::distance(sum, surface.evaluate(2, uv).position), 1e-6);
  }
}

// A dome whose rings shrink to a point at the start of u: the tangents there are those of neighbouring points.
TEST(HierarchicalSurface, APoleHasTheFrameOfItsNeighbours) {
  HierarchicalBsplineParameters dome;
  dome.shape = {6, 8};
  dome.closed_v = true;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 8; ++j) {
      const float angle = 0.785398163f * static_cast<float>(j);
      const auto radius = static_cast<float>(i - 1);  // ring 0 lies opposite to ring 2
      dome.control.emplace_back(radius * std::cos(angle), radius * std::sin(angle), -0.1f * radius * radius);
    }
  }
  Surface surface = made(dome);
  EXPECT_FALSE(surface.evaluate(0, {0, 2.3}).has_frame());
  SurfacePoint pole{glm::dvec3(0), glm::dvec3(0), glm::dvec3(0)};
  for (const Share& share : surface.shares(0, {0, 2.3})) {
    const glm::dvec3 rest(surface.vertices()[share.vertex].rest);
    pole.position += share.weight * rest;
    pole.tangent_u += share.along_u * rest;
    pole.tangent_v += share.along_v * rest;
  }
  EXPECT_LT(glm::distance(pole.position, surface.evaluate(0, {0, 2.3}).position), 1e-12);
  ASSERT_TRUE(pole.has_frame());
  EXPECT_GT(pole.axes()[2].z, 0.99);
  EXPECT_LT(glm::distance(pole.tangent_u, surface.evaluate(0, {1e-2, 2.3}).tangent_u), 0.05);
}

// Whether there is a tangent plane depends on the angle of the tangents, and not on the size of the surface.
TEST(HierarchicalSurface, HasATangentPlaneAtAnySize) {
  for (const float size : {1e-3f, 1.0f, 1e3f}) {
    for (const auto& [across, plane] : {std::pair{1.0f, true}, std::pair{1e-3f, true}, std::pair{5e-5f, false}}) {
      HierarchicalBsplineParameters parameters = sheet();
      for (glm::vec3& control : parameters.control) {
        control = size * glm::vec3(control.x + control.y, across * control.y, 0);
      }
      parameters.levels = {{}, {.offsets = {{20, {}}}}};
      EXPECT_EQ(Surface::create(parameters, "layer").has_value(), plane) << size << ' ' << across;
    }
  }
}

// Three vertices go round.
TEST(HierarchicalSurface, ThreeVerticesClose) {
  HierarchicalBsplineParameters parameters = test::tube_surface();
  parameters.shape = {3, 8};
  parameters.closed_u = true;
  parameters.control.resize(24);
  parameters.levels.clear();
  const Surface surface = made(parameters);
  EXPECT_LT(glm::distance(surface.evaluate(0, {2.5, 1}).position, surface.evaluate(0, {-0.5, 9}).position), 1e-12);
}

// The triangles of a tube's control vertices close, and all look the way of the surface's normal, towards the axis.
TEST(HierarchicalSurface, ControlMeshesLookTheWayOfTheSurface) {
  const Surface surface = made(test::tube_surface());
  std::vector<std::uint32_t> all(88);
  std::iota(all.begin(), all.end(), 0u);
  const Mesh mesh = make_control_mesh(surface, 0, all);
  EXPECT_EQ(mesh.triangles.size(), 2u * 10 * 8);
  for (const glm::uvec3 t : mesh.triangles) {
    const glm::vec3 middle = (mesh.positions[t.x] + mesh.positions[t.y] + mesh.positions[t.z]) / 3.0f;
    const glm::vec3 normal =
        glm::cross(mesh.positions[t.y] - mesh.positions[t.x], mesh.positions[t.z] - mesh.positions[t.x]);
    EXPECT_GT(glm::dot(glm::normalize(normal), -glm::normalize(glm::vec3(0, middle.y, middle.z))), 0.9f);
  }
}

TEST(HierarchicalSurface, RefusesWhatIsWrongAndNamesThePlace) {
  HierarchicalBsplineParameters parameters = sheet();
  const auto expect_refused = [&](const char* why) {
    const Result<Surface> surface = Surface::create(parameters, "layer 0");
    ASSERT_FALSE(surface) << why;
    EXPECT_EQ(surface.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(surface.error().message, testing::AllOf(HasSubstr(why), HasSubstr("layer 0")));
    parameters = sheet();
  };
  parameters.shape = {3, 10};
  expect_refused("has 3 control vertices along u, of at least 4");
  parameters.control.pop_back();
  expect_refused("29 control vertices, not 5 x 6");
  parameters.control[7].y = std::numeric_limits<float>::infinity();
  expect_refused("control vertex 7");
  parameters.levels = {{.offsets = {{0, {}}}}};
  expect_refused("level 0 must not have offsets");
  parameters.levels = {{}, {.offsets = {{63, {}}}}};
  expect_refused("level 1: there is no vertex 63, only 63");
  parameters.levels = {{}, {.offsets = {{6, {}}, {6, {}}}}};
  expect_refused("vertex 6 has two offsets");
  parameters.levels = {{}, {.offsets = {{6, {0, std::numeric_limits<float>::quiet_NaN(), 0}}}}};
  expect_refused("the offset of vertex 6 is not finite");
  parameters.levels = {{.attach = {{.joint = "a", .vertices = {{5, 2}}}}}};
  expect_refused("5 to 2 descends");
  parameters.levels.resize(14);
  expect_refused("has more than 1048576 control vertices");
  parameters.control.assign(parameters.control.size(), glm::vec3(1));
  parameters.levels = {{}, {.offsets = {{20, {}}}}};
  expect_refused("level 1: the coarser level has no tangent plane at vertex 20");
}

}  // namespace
}  // namespace pelt::hierarchical_bspline
