// SPDX-License-Identifier: MIT
// Correctives of skins: morph targets and offsets whose weights follow the joints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <pelt/bind.h>
#include <pelt/evaluate.h>
#include <pelt/key_pose.h>
#include <pelt/linear_blend.h>
#include <pelt/model_of.h>
#include <pelt/pelt_file.h>
#include <pelt/rig_json.h>

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

std::vector<glm::mat4> bent(const Model& model, float degrees) {
  Model posed = model;
  posed.skeleton.joints[1].rest.rotation = glm::angleAxis(glm::radians(degrees), glm::vec3(0, 0, 1));
  return test::bind_matrices(posed);
}

// Positions and normals of the tube in the model's order, its second joint bent.
struct Shape {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
};
Shape posed(const Character& character, const Model& model, float degrees) {
  Evaluator evaluator(character);
  evaluator.pose(bent(model, degrees));
  evaluator.evaluate();
  const CharacterMesh& mesh = test::mesh_of(character, "tube");
  Shape shape{std::vector<glm::vec3>(mesh.vertex_count()), std::vector<glm::vec3>(mesh.vertex_count())};
  for (std::uint32_t i = 0; i < mesh.vertex_count(); ++i) {
    shape.positions[mesh.source_vertex[i]] = evaluator.positions()[mesh.first_vertex + i];
    shape.normals[mesh.source_vertex[i]] = evaluator.normals()[mesh.first_vertex + i];
  }
  return shape;
}

// Expects the character to have the shape of the tube with its targets at these weights, bound by linear blend.
void expect_weights(const Character& character, const Model& model, float degrees, std::vector<float> weights) {
  Model shaped = model;
  weights.resize(model.meshes[0].morph_targets.size());
  shaped.meshes[0] = test::morphed(model.meshes[0], weights.data());
  const Shape wanted = posed(test::bound(shaped, rig_with({})).character, shaped, degrees);
  const Shape shape = posed(character, model, degrees);
  float worst = 0;
  float least_cosine = 1;
  for (std::size_t v = 0; v < wanted.positions.size(); ++v) {
    worst = std::max(worst, glm::distance(shape.positions[v], wanted.positions[v]));
    least_cosine = std::min(least_cosine, glm::dot(shape.normals[v], wanted.normals[v]));
  }
  EXPECT_LT(worst, kTolerance) << degrees;
  EXPECT_GT(least_cosine, 0.9998f) << degrees;
}

TEST(Correctives, OfMorphTargetsFollowAnAngle) {
  const Model model = tube();
  const Character character =
      test::bound(model, rig_with({corrective({{{40}, "target1", {}}, {{80}, "target2", {}}})})).character;
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
      test::bound(model,
                  rig_with({corrective({{{40}, "target1", {}}, {{-80}, "target3", {}}}, KeyInterpolation::kRbf)}))
          .character;
  expect_weights(character, model, 0, {});
  expect_weights(character, model, 40, {0, 1});
  expect_weights(character, model, -80, {0, 0, 0, 1});
}

TEST(Correctives, ThatNameATargetTwiceAddUp) {
  const Model model = tube();
  const Character character =
      test::bound(model, rig_with({corrective({{{40}, "target0", {}}}), corrective({{{80}, "target0", {}}})}))
          .character;
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
  evaluator.pose(bent(model, 40));
  evaluator.control(1, 0.25f);
  evaluator.evaluate();
  const CharacterMesh& mesh = test::mesh_of(bound.character, "tube");
  const float* weights = &evaluator.palette()[mesh.morphs->first_slot][0].x;
  EXPECT_NEAR(weights[2], 1.25f, 1e-5f);
}

// A tool binds the model that a character keeps by the rig that is in it, and by plain linear blend.
TEST(Correctives, AreMadeAgainFromTheCharacter) {
  const Rig rig = rig_with({corrective({{{40}, "target1", {{3, {0, 0.1f, 0}}}}})});
  const Character character = test::bound(tube(), rig).character;
  const Model kept = model_of(character).value();
  EXPECT_EQ(kept.meshes[0].morph_targets.size(), 4u);
  EXPECT_TRUE(bind(kept, rig_with({})));
  const Result<Bound> again = bind(kept, rig);
  ASSERT_TRUE(again) << again.error().message;
  const Model model = tube();
  const Shape before = posed(character, model, 40);
  const Shape after = posed(again->character, model, 40);
  for (std::size_t v = 0; v < before.positions.size(); ++v) {
    EXPECT_LT(glm::distance(before.positions[v], after.positions[v]), 2 * kTolerance) << v;
  }
}

TEST(Correctives, OfOffsetsMoveTheirVerticesAndTurnTheNormalsRoundThem) {
  Model model = tube();
  model.meshes[0].morph_targets.clear();
  constexpr std::uint32_t kVertex = 6 * 12;
  const glm::vec3 offset = 0.2f * model.meshes[0].normals[kVertex];
  const Character plain = test::bound(model, rig_with({})).character;
  const Character character = test::bound(model, rig_with({corrective({{{40}, "", {{kVertex, offset}}}})})).character;
  EXPECT_EQ(posed(character, model, 0).positions, posed(plain, model, 0).positions);
  const Shape before = posed(plain, model, 40);
  const Shape after = posed(character, model, 40);
  for (std::size_t v = 0; v < before.positions.size(); ++v) {
    EXPECT_NEAR(glm::distance(before.positions[v], after.positions[v]), v == kVertex ? 0.2f : 0.0f, kTolerance) << v;
  }
  // Neighbours lean away from the bump.
  EXPECT_LT(glm::dot(before.normals[kVertex + 1], after.normals[kVertex + 1]), 0.999f);
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
    // What a control does to the plain character the joint does to this one.
    Evaluator by_control(plain);
    by_control.pose(bent(subject.model, 40));
    for (std::size_t c = 0; c < plain->controls.size(); ++c) {
      if (plain->controls[c].name == "tube/target1") by_control.control(c, 1);
    }
    by_control.evaluate();
    Evaluator by_joint(character);
    by_joint.pose(bent(subject.model, 40));
    by_joint.evaluate();
    ASSERT_EQ(by_control.positions().size(), by_joint.positions().size());
    float worst = 0;
    for (std::size_t v = 0; v < by_joint.positions().size(); ++v) {
      worst = std::max(worst, glm::distance(by_control.positions()[v], by_joint.positions()[v]));
    }
    EXPECT_LT(worst, kTolerance);
    const std::vector<std::byte> bytes = serialize(character);
    const Result<Character> read = deserialize(bytes, "memory");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(serialize(*read), bytes);
  }
}

TEST(Correctives, ThatAreWrongAreRefused) {
  const auto error = [](const Corrective& wrong) {
    const Result<Bound> bound = bind(tube(), rig_with({corrective({{{40}, "target1", {}}}), wrong}));
    return bound ? std::string() : bound.error().message;
  };
  Corrective other = corrective({{{40}, "target1", {}}});
  other.mesh = "tub";
  EXPECT_EQ(error(other), "corrective 2 ('tub'): there is no mesh 'tub'; did you mean 'tube'?");
  EXPECT_EQ(error(corrective({{{40}, "targt2", {}}})),
            "corrective 2 ('tube'), pose 0: the mesh 'tube' has no morph target 'targt2'; did you mean 'target2'?");
  EXPECT_EQ(error(corrective({{{40}, "", {{100000, {}}}}})),
            "corrective 2 ('tube'), pose 0: offsets vertex 100000 of the 408 of the mesh 'tube'");
  EXPECT_EQ(error(corrective({{{0}, "target1", {}}})),
            "corrective 2 ('tube'): pose 0 is at rest, where nothing is offset");
}

TEST(Correctives, AreReadAndWritten) {
  const Rig rig = rig_with({corrective({{{40, 50}, "target1", {{3, {1, 2, 3}}}}}, KeyInterpolation::kRbf)});
  const Result<Rig> read = parse_rig(format_rig(rig), "memory");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->correctives, rig.correctives);
}

}  // namespace
}  // namespace pelt
