// SPDX-License-Identifier: MIT
#include "engine/authoring/model/builtin/surface_mesher.h"

#include "tests/engine/authoring/model/builtin/watertight.h"

namespace pelt {
namespace {

float mean_edge(const Mirrored& mesh, bool (*chosen)(const glm::vec3&)) {
  float sum = 0, count = 0;
  for (const glm::uvec3& t : mesh.triangles) {
    const glm::vec3 a = mesh.positions[t.x], b = mesh.positions[t.y];
    if (!chosen(a)) continue;
    sum += glm::distance(a, b);
    count += 1.0f;
  }
  return sum / count;
}

MesherOptions ball_options() { return {.low = glm::vec3(-1.4f), .high = glm::vec3(1.4f), .cell = 0.1f}; }

FieldSample ball(const glm::vec3& p) {
  return sample(Ellipsoid{.centre = glm::vec3(0.0f), .radii = glm::vec3(1.0f)}, p);
}

TEST(SurfaceMesher, MeshesABall) {
  const Mirrored mesh = mirror(mesh_half(ball, ball_options()));
  EXPECT_TRUE(is_watertight(mesh.triangles));
  ASSERT_EQ(mesh.positions.size(), mesh.normals.size());
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    ASSERT_NEAR(glm::length(mesh.positions[i]), 1.0f, 1e-5f);
    ASSERT_GT(glm::dot(mesh.positions[i], mesh.normals[i]), 0.999f);
  }
  for (const glm::uvec3& t : mesh.triangles) {
    const glm::vec3 a = mesh.positions[t.x], b = mesh.positions[t.y], c = mesh.positions[t.z];
    ASSERT_GT(glm::dot(glm::cross(b - a, c - a), a + b + c), 0.0f);
  }
}

TEST(SurfaceMesher, LensesMakeTheMeshFiner) {
  MesherOptions options = ball_options();
  options.high.y = 1.8f;
  const Lens lens{.centre = {0.0f, 1.0f, 0.0f}, .magnification = 2.0f, .inner = 0.4f, .outer = 1.5f};
  options.lenses = std::span(&lens, 1);
  const Mirrored mesh = mirror(mesh_half(ball, options));
  EXPECT_TRUE(is_watertight(mesh.triangles));
  const float top = mean_edge(mesh, [](const glm::vec3& p) { return p.y > 0.95f; });
  const float bottom = mean_edge(mesh, [](const glm::vec3& p) { return p.y < -0.7f; });
  EXPECT_NEAR(top, 0.5f * bottom, 0.15f * bottom);
}

TEST(SurfaceMesher, KeepsSheetsOfOneCellApart) {
  // Two balls whose gap is narrower than a cell and runs across the grid's diagonal, so that some cells contain both in
  // opposite corners.
  const auto field = [](const glm::vec3& p) {
    const FieldSample a = sample(Ellipsoid{.centre = {0.7f, 0.29f, 0.29f}, .radii = glm::vec3(0.4f)}, p);
    const FieldSample b = sample(Ellipsoid{.centre = {0.7f, -0.29f, -0.29f}, .radii = glm::vec3(0.4f)}, p);
    return a.distance < b.distance ? a : b;
  };
  for (float cell : {0.05f, 0.07f, 0.09f, 0.13f}) {
    MesherOptions options = ball_options();
    options.cell = cell;
    EXPECT_TRUE(is_watertight(mirror(mesh_half(field, options)).triangles)) << cell;
  }
}

TEST(SurfaceMesher, MirrorsWhatItSays) {
  const HalfMesh half = mesh_half(ball, ball_options());
  const Mirrored mesh = mirror(half);
  ASSERT_EQ(mesh.source.size(), mesh.positions.size());
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const float side = i < half.positions.size() ? 1.0f : -1.0f;
    ASSERT_EQ(mesh.positions[i], half.positions[mesh.source[i]] * glm::vec3(side, 1, 1));
    if (side < 0) {
      ASSERT_LT(mesh.positions[i].x, 0.0f);
    }
  }
}

}  // namespace
}  // namespace pelt
