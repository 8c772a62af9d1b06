// SPDX-License-Identifier: MIT
#include <algorithm>

#include <pelt/bind.h>
#include <pelt/evaluate.h>
#include <pelt/linear_blend.h>
#include <pelt/move_driver.h>

#include "engine/character/evaluate/blend.h"
#include "shaders/blend/blend.h"
#include "tests/support/breakage.h"
#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

using Positions = std::vector<glm::vec3>;

constexpr float kStep = 1.0f / 65535 + 1e-6f;  // of weights, and of the rounding of floats

Model make_model() { return test::make_tube_in_cage({.around = 10, .along = 24, .joints = 3}); }

Character bound(const Model& model, DeformerParameters parameters) {
  return test::bound(model, test::rig_of(std::move(parameters), "tube")).character;
}

Positions positions(const Character& character, Detail detail) {
  Evaluator evaluator(character);
  evaluator.set_detail(detail);
  evaluator.pose(test::bent(make_model(), 50, {0.3f, 0.5f, 1}));
  evaluator.evaluate();
  return test::positions_of(evaluator, character, "tube");
}

float weight_of(std::span<const Influence> row, std::uint32_t index) {
  float sum = 0;
  for (const Influence& influence : row) sum += influence.index == index ? influence.weight : 0.0f;
  return sum;
}

TEST(PaintedWeights, AreTheModelsAndMoveTheSkinAsLinearBlendDoesByEveryDeformer) {
  const Positions wanted_positions = positions(bound(make_model(), LinearBlendParameters{}), Detail::kFull);
  for (const test::Deformer& deformer : test::deformers()) {
    SCOPED_TRACE(deformer.name);
    Model model = make_model();
    Mesh cage = model.meshes.back();
    model.meshes.pop_back();
    const test::Subject subject = test::make_subject(deformer, std::move(model), std::move(cage));
    const Character character = test::bound(subject.model, subject.rig).character;
    EXPECT_TRUE(character->has_linear_blend());
    EXPECT_LT(test::farthest(positions(character, Detail::kLinearBlend), wanted_positions),
              4.0f / 65535 * character.size());
    for (const CharacterMesh& mesh : character->meshes) {
      ASSERT_EQ(mesh.painted.has_value(), !mesh.control);
      if (mesh.control) continue;
      const SparseRows& wanted = subject.model.find_mesh(mesh.name)->weights;
      const SparseRows rows = painted_rows(mesh);
      ASSERT_EQ(rows.row_count(), mesh.vertex_count());
      for (std::size_t v = 0; v < rows.row_count(); ++v) {
        for (std::uint32_t j = 0; j < character->bound_joints.size(); ++j) {
          ASSERT_NEAR(weight_of(rows.row(v), j), weight_of(wanted.row(mesh.source_vertex[v]), j), kStep) << v;
        }
      }
    }
  }
}

TEST(PaintedWeights, LackingOnOneSkinAllAreMovedInFull) {
  Model model = make_model();
  model.meshes.push_back(model.meshes[0]);
  model.meshes.back().name = "bare";
  model.meshes.back().weights = {};
  Rig rig = test::rig_of(test::by_cage(), "tube");
  rig.layers.push_back(rig.layers[0]);
  rig.layers.back().target = "bare";
  const Character character = test::bound(model, rig).character;
  EXPECT_TRUE(test::mesh_of(character, "tube").painted);
  EXPECT_FALSE(test::mesh_of(character, "bare").painted);
  EXPECT_EQ(painted_rows(test::mesh_of(character, "bare")).row_count(), 0u);
  EXPECT_FALSE(character->has_linear_blend());
  EXPECT_EQ(positions(character, Detail::kLinearBlend), positions(character, Detail::kFull));
}

TEST(PaintedWeights, StayWhenADriverIsMoved) {
  const Character character = bound(make_model(), test::by_cage());
  const std::vector<VertexOffset> offsets{{0, {0, 0.1f, 0}}};
  const Character moved = test::must(move_driver_vertices(character, "cage", offsets));
  EXPECT_GT(moved->palette_size, character->palette_size);
  EXPECT_TRUE(Character::create(*moved));
  EXPECT_EQ(positions(moved, Detail::kLinearBlend), positions(character, Detail::kLinearBlend));
}

TEST(PaintedWeights, TheEvaluatorChangesBetweenThemAndTheDeformers) {
  const Character character = bound(make_model(), test::by_cage());
  Evaluator evaluator(character);
  evaluator.pose(test::bent(make_model(), 50, {0.3f, 0.5f, 1}));
  const auto run = [&](Detail detail) {
    evaluator.set_detail(detail);
    evaluator.evaluate();
    return Positions(evaluator.positions().begin(), evaluator.positions().end());
  };
  const Positions full = run(Detail::kFull);
  const Positions linear = run(Detail::kLinearBlend);
  EXPECT_NE(linear, full);
  const CharacterMesh& mesh = test::mesh_of(character, "tube");
  for (std::uint32_t v = mesh.first_vertex; v < mesh.first_vertex + mesh.vertex_count(); ++v) {
    ASSERT_NEAR(glm::length(evaluator.normals()[v]), 1, 1e-4f);
    ASSERT_NEAR(glm::dot(glm::vec3(evaluator.tangents()[v]), evaluator.normals()[v]), 0, 1e-4f);
  }
  EXPECT_EQ(run(Detail::kLinearBlend), linear);
  EXPECT_EQ(run(Detail::kFull), full);
}

TEST(PaintedWeights, AreRefusedOnAControlMesh) {
  CharacterData data = *bound(make_model(), test::by_cage());
  const auto control = std::ranges::find(data.meshes, true, &CharacterMesh::control);
  control->painted = test::mesh_of(bound(make_model(), test::by_cage()), "tube").painted;
  EXPECT_THAT(test::create_error(data), testing::HasSubstr("'cage' has painted weights, but is not a skin"));
}

}  // namespace
}  // namespace pelt
