// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <pelt/bind.h>
#include <pelt/curve_skeleton.h>
#include <pelt/evaluate.h>
#include <pelt/linear_blend.h>
#include <pelt/mos.h>
#include <pelt/move_driver.h>
#include <pelt/pose.h>
#include <pelt/surface_ffd.h>

#include "engine/character/evaluate/blend.h"
#include "shaders/blend/blend.h"
#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"

namespace pelt {
namespace {

using Positions = std::vector<glm::vec3>;

constexpr float kStep = 1.0f / 65535 + 1e-6f;  // of weights, and of the rounding of floats

Model make_model() { return test::make_tube_in_cage({.around = 10, .along = 24, .joints = 3}); }

Character bound(const Model& model, DeformerParameters parameters) {
  return test::bound(model, test::rig_of(std::move(parameters), "tube")).character;
}

std::vector<glm::mat4> bent(const Skeleton& skeleton) {
  std::vector<Transform> local(skeleton.joints.size());
  rest_pose(skeleton, local);
  for (Transform& transform : local) {
    transform.rotation *= glm::angleAxis(0.6f, glm::normalize(glm::vec3(0.3f, 0.5f, 1)));
  }
  std::vector<glm::mat4> joints(local.size());
  model_matrices(skeleton, local, joints);
  return joints;
}

Positions positions(const Character& character, Detail detail) {
  Evaluator evaluator(character);
  evaluator.set_detail(detail);
  evaluator.pose(bent(character->skeleton));
  evaluator.evaluate();
  return test::positions_of(evaluator, character, "tube");
}

float weight_of(std::span<const Influence> row, std::uint32_t index) {
  float sum = 0;
  for (const Influence& influence : row) sum += influence.index == index ? influence.weight : 0.0f;
  return sum;
}

TEST(PaintedWeights, AreTheModelsByEveryDeformer) {
  for (const test::Deformer& deformer : test::deformers()) {
    SCOPED_TRACE(deformer.name);
    Model model = make_model();
    Mesh cage = model.meshes.back();
    model.meshes.pop_back();
    const test::Subject subject = test::make_subject(deformer, std::move(model), std::move(cage));
    const Character character = test::bound(subject.model, subject.rig).character;
    EXPECT_TRUE(character->has_linear_blend());
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

TEST(PaintedWeights, AreThereForSkinsOfAnySize) {
  for (const std::size_t count : {1u, 31u, 32u, 33u, 65u}) {
    const Model model = test::make_cloud(count);
    const Character character = test::bound(model, test::rig_of(LinearBlendParameters{})).character;
    EXPECT_EQ(painted_rows(character->meshes[0]).row_count(), count);
  }
}

TEST(PaintedWeights, MoveASkinAsLinearBlendDoes) {
  Model model = make_model();
  const Mesh cage = model.meshes.back();
  model.meshes.pop_back();
  const Positions wanted = positions(bound(model, LinearBlendParameters{}), Detail::kFull);
  for (const DeformerParameters& parameters :
       {DeformerParameters(LinearBlendParameters{}), DeformerParameters(test::by_cage()),
        DeformerParameters(CurveSkeletonParameters{}), DeformerParameters(MosParameters{})}) {
    SCOPED_TRACE(parameters.name());
    if (parameters.name() == SurfaceFfdParameters::kName) model.meshes.push_back(cage);
    const Character character = bound(model, parameters);
    model.meshes.resize(1);
    const Positions moved = positions(character, Detail::kLinearBlend);
    ASSERT_EQ(moved.size(), wanted.size());
    for (std::size_t v = 0; v < wanted.size(); ++v) {
      ASSERT_LT(glm::distance(moved[v], wanted[v]), 4.0f / 65535 * character.size()) << v;
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
  const Result<Character> moved = move_driver_vertices(character, "cage", offsets);
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_GT((*moved)->palette_size, character->palette_size);
  EXPECT_TRUE(Character::create(**moved));
  EXPECT_EQ(positions(*moved, Detail::kLinearBlend), positions(character, Detail::kLinearBlend));
}

TEST(PaintedWeights, TheEvaluatorChangesBetweenThemAndTheDeformers) {
  const Character character = bound(make_model(), test::by_cage());
  Evaluator evaluator(character);
  evaluator.pose(bent(character->skeleton));
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

TEST(PaintedWeights, AreBlendedByScalarsWhereBitsMustBeTheSameEverywhere) {
  const Character character = bound(make_model(), test::by_cage());
  Evaluator evaluator(character, {.normals = false, .same_everywhere = true});
  evaluator.pose(bent(character->skeleton));
  evaluator.set_detail(Detail::kLinearBlend);
  evaluator.evaluate();
  const CharacterMesh& mesh = test::mesh_of(character, "tube");
  const PackedBinding painted = painted_binding(mesh);
  const std::uint32_t first_slot = character->painted_pass()->first_slot + mesh.painted->first_joint;
  Positions expected(mesh.vertex_count());
  blend_linear_by_scalars(painted, rest_shape(painted), {0, slice_count(painted)},
                          evaluator.palette().subspan(first_slot), {.positions = expected.data()});
  const auto blended = evaluator.positions().subspan(mesh.first_vertex, mesh.vertex_count());
  EXPECT_EQ(Positions(blended.begin(), blended.end()), expected);
}

TEST(PaintedWeights, AreRefusedOnAControlMesh) {
  CharacterData data = *bound(make_model(), test::by_cage());
  const auto control = std::ranges::find(data.meshes, true, &CharacterMesh::control);
  control->painted = test::mesh_of(bound(make_model(), test::by_cage()), "tube").painted;
  const Result<Character> refused = Character::create(data);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("'cage' has painted weights, but is no skin"));
}

}  // namespace
}  // namespace pelt
