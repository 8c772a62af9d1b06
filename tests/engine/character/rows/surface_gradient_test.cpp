// SPDX-License-Identifier: MIT
#include "engine/character/rows/surface_gradient.h"

#include <algorithm>
#include <cmath>

#include "tests/support/tube.h"

namespace pelt {
namespace {

// Returns the largest length of a gradient; infinite if one is not a number.
float steepest(const std::vector<glm::vec3>& gradients) {
  float most = 0;
  for (const glm::vec3& gradient : gradients) {
    const float length = glm::length(gradient);
    most = std::isfinite(length) ? std::max(most, length) : INFINITY;
  }
  return most;
}

TEST(SurfaceGradient, OfALinearFunctionIsItsSlopeAtEveryScale) {
  for (const float scale : {1e-5f, 1e-3f, 1.0f, 1e3f, 1e5f}) {
    Mesh grid = test::make_grid(6);
    std::vector<float> values;
    for (glm::vec3& p : grid.positions) {
      values.push_back(0.5f * p.x - 0.25f * p.y);
      p *= scale;
    }
    const SurfaceGradient surface(grid.positions, grid.triangles);
    for (const glm::vec3& gradient : surface.of(values)) {
      EXPECT_LT(glm::distance(gradient * scale, glm::vec3(0.5f, -0.25f, 0)), 1e-5f) << scale;
    }
  }
}

// The edges of some exports' slivers are 1e-16 of the mesh.
TEST(SurfaceGradient, NeverCrossesASliverBelowThePrecisionOfPositions) {
  for (const float scale : {1e-5f, 1.0f, 1e5f}) {
    for (const float height : {0.0f, 1e-38f, 1e-30f, 1e-16f, 1e-9f}) {
      Mesh grid = test::make_grid(4);
      const auto count = static_cast<std::uint32_t>(grid.positions.size());
      // Near vertex 0, the origin, so that floats tell such points apart; and slivers of three such points.
      grid.positions.insert(grid.positions.end(), {{height, 0, 0}, {0, height, 0}, {0, 0, height}});
      grid.triangles.insert(grid.triangles.end(), {{0, 1, count}, {0, count + 1, 6}, {count, count + 1, count + 2}});
      std::vector<float> values(grid.positions.size(), 0.0f);
      values[0] = 1;
      for (glm::vec3& p : grid.positions) p *= scale;
      const SurfaceGradient surface(grid.positions, grid.triangles);
      EXPECT_LT(steepest(surface.of(values)) * scale, 4) << scale << ' ' << height;
      for (std::uint32_t v = 0; v < 3 && height > 0; ++v) {
        if (grid.positions[count + v] == glm::vec3(0)) continue;  // too small for float: coincides with vertex 0
        EXPECT_TRUE(surface.ring(count + v).empty());
      }
    }
  }
}

// Gradients are bounded however thin a triangle is: one row's gradient is the unit of its neighbours'.
TEST(SurfaceGradient, IsBoundedAcrossThinTriangles) {
  for (float height = 1; height > 1e-20f; height /= 7) {
    const std::vector<glm::vec3> positions{{0, 0, 0}, {3, 0, 0}, {1, height, 0}};
    const std::vector<glm::uvec3> triangles{{0, 1, 2}};
    const std::vector<float> values{0, 0, 1};
    const float most = steepest(SurfaceGradient(positions, triangles).of(values));
    EXPECT_LT(most, 1000.0f / 3) << height;
    if (height > 0.01f) {
      EXPECT_NEAR(most, 1 / height, 1e-4f / height);
    }
  }
}

TEST(SurfaceGradient, IsNoneWithoutArea) {
  const std::vector<glm::vec3> positions{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {4, 5, 6}};
  const std::vector<glm::uvec3> triangles{{0, 1, 2}, {0, 1, 3}, {3, 3, 3}};
  const std::vector<float> values{0, 1, 2, 3};
  EXPECT_EQ(steepest(SurfaceGradient(positions, triangles).of(values)), 0);
  EXPECT_EQ(steepest(SurfaceGradient(positions, {}).of(values)), 0);
}

}  // namespace
}  // namespace pelt
