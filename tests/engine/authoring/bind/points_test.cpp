// SPDX-License-Identifier: MIT
// Vertices that no triangle names: control vertices, hair roots, particles.
#include <filesystem>
#include <glm/gtc/matrix_transform.hpp>

#include <pelt/bind.h>
#include <pelt/dual_quaternion.h>
#include <pelt/evaluate.h>
#include <pelt/linear_blend.h>
#include <pelt/pelt_file.h>
#include <pelt/surface_ffd.h>

#include "tests/support/tube.h"

namespace pelt {
namespace {

// Makes the tubes "skin" and "cage", and "points", the vertices of the skin alone without normals.
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

Rig rig_of(DeformerParameters deformer) {
  Rig rig{.judging = Judging::kNone};
  rig.layers.push_back({.deformer = std::move(deformer)});
  return rig;
}

std::vector<glm::vec3> bent_mesh(const Character& character, const Model& model, const std::string& name) {
  std::vector<glm::mat4> joints = test::bind_matrices(model);
  joints.back() = joints.back() * glm::rotate(glm::mat4(1.0f), 1.2f, glm::vec3(0, 0, 1));
  Evaluator evaluator(character);
  evaluator.pose(joints);
  evaluator.evaluate();
  for (const CharacterMesh& mesh : character->meshes) {
    if (mesh.name != name || mesh.control) continue;
    std::vector<glm::vec3> positions(mesh.vertex_count());
    to_source_order<glm::vec3>(mesh, evaluator.positions(), positions);
    return positions;
  }
  return {};
}

class Points : public testing::TestWithParam<DeformerParameters> {};

TEST_P(Points, MoveAsTheVerticesOfAMeshDo) {
  const Model model = tubes_and_points();
  const Result<Bound> bound = bind(model, rig_of(GetParam()));
  ASSERT_TRUE(bound) << bound.error().message;
  const std::vector<glm::vec3> points = bent_mesh(bound->character, model, "points");
  EXPECT_EQ(points, bent_mesh(bound->character, model, "skin"));
  EXPECT_NE(points, model.meshes[0].positions);
  // Normals of points have no meaning, so none counts as repaired.
  for (const MeshReport& report : bound->report.meshes) EXPECT_THAT(report.repaired_vertices, testing::IsEmpty());

  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / ("points_" + std::string(GetParam().name()) + ".pelt");
  ASSERT_TRUE(save_pelt(bound->character, path));
  const Result<Character> loaded = load_pelt(path);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(bent_mesh(*loaded, model, "points"), points);
}

INSTANTIATE_TEST_SUITE_P(Deformers, Points,
                         testing::Values(LinearBlendParameters{}, DualQuaternionParameters{},
                                         SurfaceFfdParameters{.driver = {.mesh = "cage"}}));

}  // namespace
}  // namespace pelt
