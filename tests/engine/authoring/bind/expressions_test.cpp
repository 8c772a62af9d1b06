// SPDX-License-Identifier: MIT
// Expressions: controls that move sets of morph targets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include <pelt/bind.h>
#include <pelt/clip_twists.h>
#include <pelt/evaluate.h>
#include <pelt/garment.h>
#include <pelt/linear_blend.h>
#include <pelt/model_of.h>
#include <pelt/pelt_file.h>
#include <pelt/tools/joint_roles.h>

#include "tests/support/breakage.h"
#include "tests/support/driven.h"
#include "tests/support/morphs.h"
#include "tests/support/must.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A tube with the targets "target0" to "target3": a gradual expression of two of them, and a binary one.
Model expressive_tube() {
  Model model = test::make_tube({.around = 12, .along = 33, .joints = 2});
  test::add_morph_targets(model.meshes[0], 4);
  model.expressions = {{"happy", false, {{"tube", 0, 0.5f}, {"tube", 2, 1.0f}}}, {"blink", true, {{"tube", 2, 0.75f}}}};
  return model;
}

Character bound(const Model& model) {
  return test::bound(model, test::rig_of(LinearBlendParameters{}, "tube")).character;
}

void set(Evaluator& evaluator, const Character& character, const std::string& control, float value) {
  const auto index = character->find_control(control);
  ASSERT_TRUE(index) << control;
  evaluator.control(*index, value);
}

// Returns the weights of the tube's four targets for these values of controls.
std::vector<float> weights_of(const Character& character, const std::vector<std::pair<std::string, float>>& values) {
  Evaluator evaluator(character);
  for (const auto& [control, value] : values) set(evaluator, character, control, value);
  evaluator.evaluate();
  const CharacterMesh& mesh = test::mesh_of(character, "tube");
  const float* entry = &evaluator.palette()[mesh.morphs->first_entry][0].x;
  return {entry + 1, entry + 5};
}

TEST(Expressions, AreControlsThatMoveTheirTargets) {
  const Character character = bound(expressive_tube());
  ASSERT_EQ(character->controls.size(), 6u);
  EXPECT_EQ(character->controls[0].name, "happy");
  EXPECT_EQ(character->controls[1].name, "blink");
  EXPECT_EQ(character->controls[0].kind, ControlKind::kExpression);
  EXPECT_THAT(weights_of(character, {}), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(weights_of(character, {{"happy", 0.5f}}), ElementsAre(0.25f, 0, 0.5f, 0));
  EXPECT_THAT(weights_of(character, {{"happy", 7}}), ElementsAre(0.5f, 0, 1, 0)) << "held between 0 and 1";
  EXPECT_THAT(weights_of(character, {{"happy", -3}}), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(weights_of(character, {{"blink", 0.5f}}), ElementsAre(0, 0, 0, 0)) << "binary";
  EXPECT_THAT(weights_of(character, {{"blink", 0.50001f}}), ElementsAre(0, 0, 0.75f, 0));
}

TEST(Expressions, AddToEachOtherToControlsAndToClips) {
  Model model = expressive_tube();
  model.clips.push_back({.name = "clip", .duration = 1, .channels = {}, .morph_channels = {}});
  model.clips[0].morph_channels.push_back({"tube", 2, Interpolation::kLinear, {0, 1}, {0, 1}});
  const Character character = bound(model);
  EXPECT_THAT(weights_of(character, {{"happy", 0.5f}, {"blink", 1}, {"tube/target2", 0.25f}}),
              ElementsAre(0.25f, 0, 1.5f, 0));
  ASSERT_EQ(character->clips[0].morph_channels.size(), 1u);
  std::vector<float> inputs(character->input_count);
  rest_inputs(*character, inputs);
  sample_morph_targets(*character, character->clips[0], 0.5f, inputs);
  for (const Control& control : character->controls) {
    EXPECT_EQ(inputs[control.input], control.name == "tube/target2" ? 0.5f : 0.0f) << control.name;
  }
}

TEST(Expressions, MoveTargetsThatFollowJointsToo) {
  Rig rig = test::rig_of(LinearBlendParameters{}, "tube");
  rig.correctives = {{"tube", {{{"joint1", {0, 0, 1}}}, KeyInterpolation::kLinear, {{{40}, "target2", {}}}}}};
  const Character character = test::bound(expressive_tube(), rig).character;
  EXPECT_THAT(weights_of(character, {{"happy", 1}}), ElementsAre(0.5f, 0, 1, 0));
}

TEST(Expressions, MoveDriversThatHaveTheTarget) {
  Model model = test::make_tubes_in_two_cages();
  model.expressions = {{"lifted", false, {{"morphed", 0, 0.5f}}}};
  const Character character = test::bound(model, test::two_cages()).character;
  const auto height = [&](float value) {
    Evaluator evaluator(character);
    set(evaluator, character, "lifted", value);
    evaluator.evaluate();
    return test::positions_of(evaluator, character, "second")[0];
  };
  EXPECT_NEAR(glm::distance(height(0), height(1)), 0.5f, 1e-3f);
}

TEST(Expressions, OfAGarmentStayWithItsTargets) {
  Model garment = expressive_tube();
  garment.meshes[0].name = "sleeve";
  for (Expression& expression : garment.expressions) {
    for (ExpressionTarget& target : expression.targets) target.mesh = "sleeve";
  }
  const Dressed dressed = test::must(dress(std::move(garment), expressive_tube()));
  EXPECT_EQ(dressed.model.expressions.size(), 2u);
  EXPECT_TRUE(bind(dressed.model, test::rig_of(LinearBlendParameters{}, "sleeve")));
}

TEST(Expressions, MustNameTargetsThatAreThere) {
  const Rig rig = test::rig_of(LinearBlendParameters{}, "tube");
  const auto error_of = [&](const ExpressionTarget& target) {
    Model model = expressive_tube();
    model.expressions[0].targets[1] = target;
    return test::bind_error(model, rig);
  };
  EXPECT_EQ(error_of({"tube", 3, 1}), "bound");
  for (const ExpressionTarget& wrong :
       {ExpressionTarget{"tube", 4, 1}, {"hose", 0, 1}, {"tube", 0, std::numeric_limits<float>::infinity()}}) {
    EXPECT_THAT(error_of(wrong), HasSubstr("the expression 'happy'"));
  }
  Model twice = expressive_tube();
  twice.expressions[1].name = "happy";
  EXPECT_THAT(test::bind_error(twice, rig), HasSubstr("'happy'"));
}

TEST(Expressions, AreCheckedInFiles) {
  const auto error_after = [](const std::function<void(CharacterData&)>& change) {
    CharacterData data = *bound(expressive_tube());
    change(data);
    return test::create_error(data);
  };
  // The keys of target 0: its control, 3 words, then the ramp.
  const auto ramp = [](CharacterData& data) {
    return &std::ranges::find(data.passes, PoseKernel::kKeyWeights, &PalettePass::kernel)->table[3];
  };
  EXPECT_EQ(error_after([](CharacterData&) {}), "made");
  EXPECT_THAT(error_after([&](CharacterData& d) { ramp(d)[1] = 6; }), HasSubstr("input that does not exist"));
  EXPECT_THAT(error_after([&](CharacterData& d) { ramp(d)[3] = ramp(d)[2]; }), HasSubstr("does not ascend"));
  EXPECT_THAT(error_after([&](CharacterData& d) { ramp(d)[4] = 0x7FC00000u; }), HasSubstr("not finite"));
  EXPECT_THAT(error_after([](CharacterData& d) { d.controls[0].kind = static_cast<ControlKind>(4); }),
              HasSubstr("unknown kind"));
}

TEST(HumanBones, SurviveTheFile) {
  Model model = expressive_tube();
  model.skeleton.human_bones = {{"head", 1}};
  const Character read = test::must(deserialize(serialize(bound(model)), "memory"));
  ASSERT_EQ(read->skeleton.human_bones.size(), 1u);
  EXPECT_EQ(joint_uses(model_of(read)->skeleton)[1].role, JointRole::kHead);
  CharacterData data = *read;
  data.skeleton.human_bones[0].joint = 2;
  EXPECT_THAT(test::create_error(data), HasSubstr("the human bone 'head'"));
  model.skeleton.human_bones[0].joint = 2;
  EXPECT_THAT(test::bind_error(model, test::rig_of(LinearBlendParameters{}, "tube")),
              HasSubstr("the human bone 'head'"));
}

}  // namespace
}  // namespace pelt
