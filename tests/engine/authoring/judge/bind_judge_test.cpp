// SPDX-License-Identifier: MIT
// Tests how bind treats a deformer that does worse than linear blend.
#include "engine/authoring/judge/bind_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/pelt_file.h>
#include <pelt/surface_ffd.h>
#include <pelt/tools/judge_poses.h>

#include "tests/support/driven.h"
#include "tests/support/kernel_targets.h"

namespace pelt {
namespace {

using test::bound;
using test::bound_by;
using testing::HasSubstr;

// A surface FFD that tears the skin: every vertex follows one triangle of a coarse driver.
Rig torn(Judging judging) {
  SurfaceFfdParameters ffd;
  ffd.mode = SurfaceFfdParameters::Mode::kBasic;
  ffd.elements = 1;
  ffd.cut = Cut::kHard;
  ffd.raise_elements = false;
  ffd.driver.triangles = 60;
  Rig rig = test::rig_of(ffd);
  rig.judging = judging;
  return rig;
}

Figures figures_on_clips(const Model& model, const Character& character) {
  const Character linear = bound_by(model, "linear_blend");
  const Result<Judge> judge = Judge::create(linear, clip_poses(*linear));
  EXPECT_TRUE(judge) << judge.error().message;
  return *judge->judge(character);
}

TEST(BindJudge, LeavesWhatTearsToLinearBlend) {
  const Model arm = make_arm();
  const Bound plain = bound(arm, torn(Judging::kNone));
  const Bound judged = bound(arm, torn(Judging::kFallback));
  ASSERT_GT(figures_on_clips(arm, plain.character).stretch, 2.5);
  EXPECT_LT(figures_on_clips(arm, judged.character).stretch, 2);
  ASSERT_TRUE(judged.report.verdict);
  EXPECT_GT(judged.report.verdict->left, 0.001);
  EXPECT_LT(judged.report.verdict->left, 1);
  ASSERT_FALSE(judged.report.verdict->places.empty());
  const JudgedPlace& worst = judged.report.verdict->places[0];
  EXPECT_EQ(worst.left, 1);
  EXPECT_GT(worst.fault.score, 1);
  EXPECT_LT(judged.report.verdict->remaining, worst.fault.score);
  EXPECT_THAT(in_words(worst), testing::EndsWith(": falls back to linear blend"));
  EXPECT_THAT(judged.report.notes,
              testing::Contains(HasSubstr("at joint '" + worst.joint + "' in pose '" + worst.pose.name)));
  for (const MeshReport& mesh : judged.report.meshes) EXPECT_LE(mesh.max_influences, 8u);
}

TEST(BindJudge, ReportsAlone) {
  const Model arm = make_arm();
  const Bound plain = bound(arm, torn(Judging::kNone));
  const Bound reported = bound(arm, torn(Judging::kReport));
  ASSERT_TRUE(reported.report.verdict);
  EXPECT_EQ(reported.report.verdict->left, 0);
  ASSERT_FALSE(reported.report.verdict->places.empty());
  EXPECT_EQ(reported.report.verdict->places[0].left, 0);
  EXPECT_GT(reported.report.verdict->places[0].fault.score, 1);
  EXPECT_EQ(reported.report.verdict->remaining, reported.report.verdict->places[0].fault.score);
  EXPECT_EQ(figures_on_clips(arm, reported.character).stretch, figures_on_clips(arm, plain.character).stretch);
  EXPECT_FALSE(plain.report.verdict);
}

TEST(BindJudge, HasNothingToSayOfLinearBlend) {
  EXPECT_FALSE(bound(make_arm(), *rig_from_deformer_name("linear_blend")).report.verdict);
}

// The default does not do worse anywhere on the limb, and on the biped only in a fold of the groin in a deep squat.
TEST(BindJudge, LeavesNextToNothingOfTheLimbAndTheBiped) {
  const auto judged = [](const Model& model) {
    const Bound bound_model = bound(model, *rig_from_deformer_name("surface_ffd"));
    EXPECT_TRUE(bound_model.report.verdict);
    return bound_model.report.verdict.value_or(Verdict{});
  };
  const Verdict of_limb = judged(make_limb()), of_biped = judged(make_biped());
  EXPECT_EQ(of_limb.left, 0) << in_words(of_limb.places.at(0));
  EXPECT_LT(of_biped.left, 0.002) << in_words(of_biped.places.at(0));
}

// An offset that a sculptor wants does not fall back to linear blend.
TEST(BindJudge, LeavesWhatWasSculpted) {
  const Model arm = make_arm();
  Rig rig = torn(Judging::kFallback);
  rig.layers[0].deformer.get<SurfaceFfdParameters>().driver.offsets.push_back({.vertex = 0, .offset = {0, 0.1f, 0}});
  const Bound judged = bound(arm, rig);
  ASSERT_TRUE(judged.report.verdict);
  EXPECT_EQ(judged.report.verdict->left, 0);
}

// Returns a tube in a cage. The tube hangs on a separate joint outside the skeleton, like a mesh of a file without
// skin.
Model tube_on_its_node() {
  Model model = test::make_tube_in_cage();
  const auto node = static_cast<std::uint32_t>(model.bound_joints.size());
  model.bound_joints.push_back({.joint = static_cast<std::uint32_t>(model.skeleton.joints.size())});
  model.skeleton.joints.push_back({.name = "node"});
  Mesh& tube = model.meshes[0];
  tube.weights = test::rows_on(node, tube.positions.size());
  return model;
}

// Linear blend by the node would leave the tube in its rest position, far from its cage.
TEST(BindJudge, JudgesASkinWithoutSkeletonByTheWeightsOfItsCage) {
  Rig rig = test::rig_of(test::by_cage(), "tube");
  rig.judging = Judging::kFallback;
  const Bound judged = bound(tube_on_its_node(), rig);
  ASSERT_TRUE(judged.report.verdict);
  EXPECT_LT(judged.report.verdict->remaining, 0.6);
  for (const JudgedPlace& place : judged.report.verdict->places) EXPECT_NE(place.fault.kind, FaultKind::kDistance);
  EXPECT_THAT(judged.report.notes,
              testing::Contains(HasSubstr("'tube' has no weights on the joints of its driver 'cage'")));
  // A skin that is painted to a joint of its cage is judged by that, and so is one that no cage moves.
  Model on_the_root = tube_on_its_node();
  for (Influence& influence : on_the_root.meshes[0].weights.influences) influence.index = 0;
  EXPECT_THAT(bound(on_the_root, rig).report.notes, testing::Not(testing::Contains(HasSubstr("of its driver"))));
  rig.layers[0].deformer = SurfaceFfdParameters{};
  EXPECT_THAT(bound(tube_on_its_node(), rig).report.notes, testing::Not(testing::Contains(HasSubstr("of its driver"))));
}

class BindJudgeOn : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { choose_target(GetParam()); }
  void TearDown() override { choose_target(0); }
};

// The parameter is an instruction set: the vector width of another processor changes no byte of the character.
TEST_P(BindJudgeOn, IsTheSameOnEveryProcessor) {
  const std::vector<std::byte> here = serialize(bound(make_arm(), torn(Judging::kFallback)).character);
  choose_target(0);
  EXPECT_EQ(serialize(bound(make_arm(), torn(Judging::kFallback)).character), here);
}

INSTANTIATE_TEST_SUITE_P(Targets, BindJudgeOn, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

TEST(Verdict, NamesFaultJointPoseAndVertex) {
  JudgedPlace place{.fault = {FaultKind::kStretch, 2.34, 1.2, 0},
                    .pose = {.name = "walk at 0.42 s"},
                    .mesh = "body",
                    .joint = "hand",
                    .vertex = 12};
  EXPECT_EQ(in_words(place), "stretched 2.3 times at joint 'hand' in pose 'walk at 0.42 s' (mesh 'body', vertex 12)");
  place.joint = "";
  place.fault = {FaultKind::kStrain, 0.79, 1.4, 0};
  place.left = 0.4f;
  EXPECT_EQ(in_words(place),
            "skin painted rigid strained by 79% in pose 'walk at 0.42 s' (mesh 'body', vertex 12): 40.0% falls back to "
            "linear blend");
  place.fault.kind = FaultKind::kDistance;
  place.left = 1;
  EXPECT_EQ(in_words(place),
            "79% of the size away from linear blend in pose 'walk at 0.42 s' (mesh 'body', vertex 12): falls back to "
            "linear blend");
}

}  // namespace
}  // namespace pelt
