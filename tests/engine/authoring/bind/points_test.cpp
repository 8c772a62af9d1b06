// SPDX-License-Identifier: MIT
// Vertices that no triangle names: control vertices, hair roots, particles.
#include <pelt/bind.h>
#include <pelt/dual_quaternion.h>
#include <pelt/linear_blend.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"

namespace pelt {
namespace {

// Makes the tubes "skin" and "cage", and "points", only the vertices of the skin, without normals.
Model tubes_and_points() {
  Model model = test::make_tube();
  model.meshes[0].name = "skin";
  Mesh cage = model.meshes[0];
  cage.name = "cage";
  Mesh points;
  points.name = "points";
  points.positions = model.meshes[0].positions;
  points.weights = model.meshes[0].weights;
  model.meshes.push_back(std::move(cage));
  model.meshes.push_back(std::move(points));
  return model;
}

class Points : public testing::TestWithParam<DeformerParameters> {};

TEST_P(Points, MoveAsTheVerticesOfAMeshDo) {
  const Model model = tubes_and_points();
  const Bound bound = test::bound(model, test::rig_of(GetParam()));
  const std::vector<glm::vec3> points = test::posed(bound.character, test::bent(model, 70), "points");
  EXPECT_EQ(points, test::posed(bound.character, test::bent(model, 70), "skin"));
  EXPECT_NE(points, model.meshes[0].positions);
  // Normals of points have no meaning, so none counts as repaired.
  for (const MeshReport& report : bound.report.meshes) EXPECT_THAT(report.repaired_vertices, testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Deformers, Points,
                         testing::Values(LinearBlendParameters{}, DualQuaternionParameters{},
                                         SurfaceFfdParameters{.driver = {.mesh = "cage"}}));

}  // namespace
}  // namespace pelt
