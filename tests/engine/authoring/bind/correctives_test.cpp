// SPDX-License-Identifier: MIT
// Correctives of skins: morph targets and offsets whose weights follow the joints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pelt/bind.h>
#include <pelt/evaluate.h>
#include <pelt/key_pose.h>
#include <pelt/linear_blend.h>
#include <pelt/model_of.h>

#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"
#include "tests/support/morphs.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

constexpr float kTolerance = 1e-4f;  // of a tube 8 m long: offsets are stored in 16 bits

// Returns a tube along x with two joints and the targets "target0" to "target3".
Model tube() {
  Model model = test::make_tube({.around = 12, .along = 33, .joints = 2});
  test::add_morph_targets(model.meshes[0], 4);
  return model;
}

Corrective corrective(std::vector<KeyPose> poses, KeyInterpolation interpolation = KeyInterpolation::kLinear) {
  return {"tube", {{{"joint1", {0, 0, 1}}}, interpolation, std::move(poses)}};
}

Rig rig_with(std::vector<Corrective> correctives) {
  Rig rig = test::rig_of(LinearBlendParameters{}, "tube");
  rig.correctives = std::move(correctives);
  return rig;
}

Character bound_with(const Model& model, std::vector<Corrective> correctives) {
  return test::bound(model, rig_with(std::move(correctives))).character;
}

// Positions and normals of the tube in the model's order, its second joint bent.
struct Shape {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
};

Shape posed(const Character& character, const Model& model, float degrees) {
  Evaluator evaluator(character);
  evaluator.pose(test::bent(model, degrees));
  evaluator.evaluate();
  return {test::positions_of(evaluator, character, "tube"), test::normals_of(evaluator, character, "tube")};
}

// Expects the character to have the shape of the tube with its targets at these weights, bound by linear blend.
void expect_weights(const Character& character, const Model& model, float degrees, std::vector<float> weights) {
  Model shaped = model;
  weights.resize(model.meshes[0].morph_targets.size());
  shaped.meshes[0] = test::morphed(model.meshes[0], weights.data());
  const Shape wanted = posed(bound_with(shaped, {}), shaped, degrees);
  const Shape shape = posed(character, model, degrees);
  EXPECT_LT(test::farthest(shape.positions, wanted.positions), kTolerance) << degrees;
  EXPECT_LT(test::farthest(shape.normals, wanted.normals), 0.02f) << degrees;  // a degree
}

TEST(Correctives, OfMorphTargetsFollowAnAngle) {
  const Model model = tube();
  const Character character = bound_with(model, {corrective({{{40}, "target1", {}}, {{80}, "target2", {}}})});
  expect_weights(character, model, 0, {});
  expect_weights(character, model, -50, {});
  expect_weights(character, model, 20, {0, 0.5f});
  expect_weights(character, model, 40, {0, 1});
  expect_weights(character, model, 60, {0, 0.5f, 0.5f});
  expect_weights(character, model, 100, {0, 0, 1});
}

TEST(Correctives, ByRadialBasesAreExactAtTheirKeys) {
  const Model model = tube();
  const Character character =
      bound_with(model, {corrective({{{40}, "target1", {}}, {{-80}, "target3", {}}}, KeyInterpolation::kRbf)});
  expect_weights(character, model, 0, {});
  expect_weights(character, model, 40, {0, 1});
  expect_weights(character, model, -80, {0, 0, 0, 1});
}

TEST(Correctives, ThatNameATargetTwiceAddUp) {
  const Model model = tube();
  const Character character =
      bound_with(model, {corrective({{{40}, "target0", {}}}), corrective({{{80}, "target0", {}}})});
  expect_weights(character, model, 40, {1.5f});
}

TEST(Correctives, AddToTheControlsAndHideTheClips) {
  Model model = tube();
  model.clips.push_back({.name = "clip", .duration = 1, .channels = {}, .morph_channels = {}});
  for (std::uint32_t t = 0; t < 2; ++t) {
    model.clips[0].morph_channels.push_back({"tube", t, Interpolation::kLinear, {0, 1}, {0, 1}});
  }
  const Bound bound = test::bound(model, rig_with({corrective({{{40}, "target1", {}}})}));
  ASSERT_EQ(bound.character->controls.size(), 4u);
  EXPECT_EQ(bound.character->controls[1].name, "tube/target1");
  ASSERT_EQ(bound.character->clips[0].morph_channels.size(), 1u);
  EXPECT_EQ(bound.character->clips[0].morph_channels[0].target, 0u);
  EXPECT_THAT(bound.report.notes,
              testing::Contains("not carried: keys for morph targets that follow the joints, in the clips 'clip'"));
  Evaluator evaluator(bound.character);
  evaluator.pose(test::bent(model, 40));
  evaluator.control(1, 0.25f);
  evaluator.evaluate();
  const CharacterMesh& mesh = test::mesh_of(bound.character, "tube");
  const float* weights = &evaluator.palette()[mesh.morphs->first_entry][0].x;
  EXPECT_NEAR(weights[2], 1.25f, 1e-5f);
}

// A tool binds the model that a character keeps by the rig that is in it, and by plain linear blend.
TEST(Correctives, AreMadeAgainFromTheCharacter) {
  const Rig rig = rig_with({corrective({{{40}, "target1", {{3, {0, 0.1f, 0}}}}})});
  const Character character = test::bound(tube(), rig).character;
  const Model kept = model_of(character).value();
  EXPECT_EQ(kept.meshes[0].morph_targets.size(), 4u);
  EXPECT_TRUE(bind(kept, rig_with({})));
  const Character again = test::bound(kept, rig).character;
  EXPECT_LT(test::farthest(posed(character, tube(), 40).positions, posed(again, tube(), 40).positions), 2 * kTolerance);
}

TEST(Correctives, OfOffsetsMoveTheirVerticesAndTurnTheNormalsRoundThem) {
  Model model = tube();
  model.meshes[0].morph_targets.clear();
  constexpr std::uint32_t kVertex = 6 * 12;
  const glm::vec3 offset = 0.2f * model.meshes[0].normals[kVertex];
  const Character plain = bound_with(model, {});
  const Character character = bound_with(model, {corrective({{{40}, "", {{kVertex, offset}}}})});
  EXPECT_EQ(posed(character, model, 0).positions, posed(plain, model, 0).positions);
  const Shape before = posed(plain, model, 40);
  const Shape after = posed(character, model, 40);
  for (std::size_t v = 0; v < before.positions.size(); ++v) {
    EXPECT_NEAR(glm::distance(before.positions[v], after.positions[v]), v == kVertex ? 0.2f : 0.0f, kTolerance) << v;
  }
  // Neighbours lean away from the bump.
  EXPECT_LT(glm::dot(before.normals[kVertex + 1], after.normals[kVertex + 1]), 0.999f);
}

TEST(Correctives, AddNoInputsForTargetsThatMoveNothing) {
  Model model = tube();
  model.meshes.push_back(model.meshes[0]);
  model.meshes[1].name = "other";
  const std::vector<glm::vec3> none(model.meshes[0].positions.size());
  model.meshes[0].morph_targets = {{"empty", none}};
  const Rig plain = test::rig_of(LinearBlendParameters{}, "*");
  Rig corrected = plain;
  corrected.correctives = {corrective({{{40}, "", {{3, {0, 0.1f, 0}}}}})};
  const auto controls = [&](const Rig& rig) { return test::bound(model, rig).character->controls; };
  const std::vector<Control> before = controls(plain), after = controls(corrected);
  ASSERT_EQ(before.size(), 4u);
  ASSERT_EQ(after.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(after[i].name, before[i].name);
}

TEST(Correctives, WorkWithEveryDeformer) {
  for (const test::Deformer& deformer : test::deformers()) {
    SCOPED_TRACE(deformer.name);
    Model model = test::make_tube({.around = 12, .along = 33, .joints = 4});
    test::add_morph_targets(model.meshes[0], 2);
    test::Subject subject = test::make_subject(
        deformer, std::move(model), test::make_tube_mesh({.around = 8, .along = 24, .radius = 1.1f, .joints = 4}));
    const Character plain = test::bound(subject.model, subject.rig).character;
    subject.rig.correctives = {corrective({{{40}, "target1", {}}})};
    const Character character = test::bound(subject.model, subject.rig).character;
    // The joint moves this character as the control moves the plain one.
    Evaluator by_control(plain);
    by_control.pose(test::bent(subject.model, 40));
    by_control.control(plain->find_control("tube/target1").value(), 1);
    by_control.evaluate();
    Evaluator by_joint(character);
    by_joint.pose(test::bent(subject.model, 40));
    by_joint.evaluate();
    EXPECT_LT(test::farthest(by_control.positions(), by_joint.positions()), kTolerance);
  }
}

TEST(Correctives, ThatAreWrongAreRefused) {
  const auto error = [](const Corrective& wrong) {
    return test::bind_error(tube(), rig_with({corrective({{{40}, "target1", {}}}), wrong}));
  };
  Corrective other = corrective({{{40}, "target1", {}}});
  other.mesh = "tub";
  EXPECT_EQ(error(other), "corrective 2 ('tub'): there is no mesh 'tub'; did you mean 'tube'?");
  EXPECT_EQ(error(corrective({{{40}, "targt2", {}}})),
            "corrective 2 ('tube'), pose 0: the mesh 'tube' has no morph target 'targt2'; did you mean 'target2'?");
  EXPECT_EQ(error(corrective({{{40}, "", {{100000, {}}}}})),
            "corrective 2 ('tube'), pose 0: offsets vertex 100000 of the 408 of the mesh 'tube'");
  EXPECT_EQ(error(corrective({{{0}, "target1", {}}})),
            "corrective 2 ('tube'): pose 0 must not be at rest, which has no offsets");
}

}  // namespace
}  // namespace pelt
