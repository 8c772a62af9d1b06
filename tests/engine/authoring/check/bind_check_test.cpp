// SPDX-License-Identifier: MIT
// Tests how bind treats a deformer that does worse than linear blend.
#include "engine/authoring/check/bind_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/pelt_file.h>
#include <pelt/surface_ffd.h>
#include <pelt/tools/clip_poses.h>

#include "tests/engine/character/evaluate/every_target.h"
#include "tests/support/driven.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using test::bound;
using test::bound_by;
using testing::HasSubstr;

// A surface FFD that tears the skin: every vertex follows one triangle of a coarse driver.
Rig torn(CheckMode check) {
  SurfaceFfdParameters ffd;
  ffd.mode = SurfaceFfdParameters::Mode::kBasic;
  ffd.elements = 1;
  ffd.cut = Cut::kHard;
  ffd.raise_elements = false;
  ffd.driver.triangles = 60;
  ffd.driver.twist = Twist::kNone;  // the figures compare with linear blend that spreads none
  Rig rig = test::rig_of(ffd);
  rig.check = check;
  return rig;
}

Figures figures_on_clips(const Model& model, const Character& character) {
  const Character linear = bound_by(model, "linear_blend");
  const Result<LinearComparison> comparison = LinearComparison::create(linear, clip_poses(*linear));
  EXPECT_TRUE(comparison) << comparison.error().message;
  return *comparison->measure(character);
}

TEST(BindCheck, LeavesWhatTearsToLinearBlend) {
  const Model arm = make_arm();
  const Bound plain = bound(arm, torn(CheckMode::kNone));
  const Bound checked = bound(arm, torn(CheckMode::kFallback));
  ASSERT_GT(figures_on_clips(arm, plain.character).stretch, 2.5);
  EXPECT_LT(figures_on_clips(arm, checked.character).stretch, 2);
  ASSERT_TRUE(checked.report.check);
  EXPECT_GT(checked.report.check->fallback, 0.001);
  EXPECT_LT(checked.report.check->fallback, 1);
  ASSERT_FALSE(checked.report.check->defects.empty());
  const DefectLocation& worst = checked.report.check->defects[0];
  EXPECT_EQ(worst.fallback, 1);
  EXPECT_GT(worst.defect.score, 1);
  EXPECT_LT(checked.report.check->remaining, worst.defect.score);
  EXPECT_THAT(in_words(worst), testing::EndsWith(": there linear blend"));
  for (const DefectLocation& place : checked.report.check->defects) {
    EXPECT_THAT(place.pose.name, testing::Not(testing::StartsWith("pose ")));
  }
  for (const MeshReport& mesh : checked.report.meshes) EXPECT_LE(mesh.max_influences, 8u);
}

TEST(BindCheck, OnlyReports) {
  const Model arm = make_arm();
  const Bound plain = bound(arm, torn(CheckMode::kNone));
  const Bound reported = bound(arm, torn(CheckMode::kReport));
  ASSERT_TRUE(reported.report.check);
  EXPECT_EQ(reported.report.check->fallback, 0);
  ASSERT_FALSE(reported.report.check->defects.empty());
  EXPECT_EQ(reported.report.check->defects[0].fallback, 0);
  EXPECT_GT(reported.report.check->defects[0].defect.score, 1);
  const std::vector<DefectLocation>& shapes = reported.report.check->shapes;
  ASSERT_FALSE(shapes.empty());
  const auto of_clip = [](const DefectLocation& place) { return place.pose.clip.has_value(); };
  EXPECT_TRUE(std::ranges::is_partitioned(shapes, of_clip));
  EXPECT_THAT(std::ranges::count_if(shapes, of_clip), testing::AllOf(testing::Ge(1), testing::Le(3)));
  EXPECT_THAT(shapes.size() - std::ranges::count_if(shapes, of_clip), testing::AllOf(testing::Ge(1u), testing::Le(3u)));
  EXPECT_EQ(reported.report.check->remaining, reported.report.check->defects[0].defect.score);
  EXPECT_EQ(figures_on_clips(arm, reported.character).stretch, figures_on_clips(arm, plain.character).stretch);
  EXPECT_FALSE(plain.report.check);
}

// A game turns joints farther than the clips of a file do.
TEST(BindCheck, FindsWhatNoClipShows) {
  Model arm = make_arm();
  for (Clip& clip : arm.clips) clip.channels.clear();
  const Bound checked = bound(arm, torn(CheckMode::kFallback));
  ASSERT_TRUE(checked.report.check);
  EXPECT_GT(checked.report.check->clip_frames, 0u);
  EXPECT_GT(checked.report.check->poses, checked.report.check->clip_frames);
  EXPECT_GT(checked.report.check->fallback, 0.001);
  EXPECT_FALSE(checked.report.check->defects.at(0).pose.turns.empty());
  EXPECT_LT(figures_on_clips(make_arm(), checked.character).stretch, 2.1);
}

TEST(BindCheck, ChecksSkinThatTheRestPoseHides) {
  Model arm = make_arm();
  const double stretch = figures_on_clips(arm, bound(arm, torn(CheckMode::kReport)).character).stretch;
  arm.root_at_bind = test::bind_matrices(arm)[0];
  arm.skeleton.joints[0].rest.scale = glm::vec3(0);
  for (Clip& clip : arm.clips) {
    clip.channels.push_back({.joint = 0, .path = ChannelPath::kScale, .times = {0}, .values = {1, 1, 1}});
  }
  const Bound hidden = bound(arm, torn(CheckMode::kReport));
  ASSERT_TRUE(hidden.report.check);
  ASSERT_FALSE(hidden.report.check->defects.empty());
  // Only clips show it.
  EXPECT_NEAR(hidden.report.check->defects[0].defect.value, stretch, 1e-3);
}

// The default does not do worse anywhere on the limb, and on the biped only in a fold of the groin in a deep squat.
TEST(BindCheck, LeavesNextToNothingOfTheLimbAndTheBiped) {
  const auto checked = [](const Model& model) {
    const Bound bound_model = bound(model, *rig_from_deformer_name("surface_ffd"));
    EXPECT_TRUE(bound_model.report.check);
    return bound_model.report.check.value_or(CheckReport{});
  };
  const CheckReport of_limb = checked(make_limb()), of_biped = checked(make_biped());
  EXPECT_EQ(of_limb.fallback, 0) << in_words(of_limb.defects.at(0));
  EXPECT_LT(of_biped.fallback, 0.002) << in_words(of_biped.defects.at(0));
}

// An offset that a sculptor wants does not fall back to linear blend.
TEST(BindCheck, LeavesWhatWasSculpted) {
  const Model arm = make_arm();
  Rig rig = torn(CheckMode::kFallback);
  rig.layers[0].deformer.get<SurfaceFfdParameters>().driver.offsets.push_back({.vertex = 0, .offset = {0, 0.1f, 0}});
  const Bound checked = bound(arm, rig);
  ASSERT_TRUE(checked.report.check);
  EXPECT_EQ(checked.report.check->fallback, 0);
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
TEST(BindCheck, ChecksASkinWithoutSkeletonByTheWeightsOfItsCage) {
  Rig rig = test::rig_of(test::by_cage(), "tube");
  rig.check = CheckMode::kFallback;
  const Bound checked = bound(tube_on_its_node(), rig);
  ASSERT_TRUE(checked.report.check);
  EXPECT_LT(checked.report.check->remaining, 0.6);
  for (const DefectLocation& place : checked.report.check->defects) EXPECT_NE(place.defect.kind, DefectKind::kDistance);
  EXPECT_THAT(checked.report.notes,
              testing::Contains(HasSubstr("'tube' has no weights on the joints of its driver 'cage'")));
  // A skin that is painted to a joint of its cage is checked by that, and so is one that no cage moves.
  Model on_the_root = tube_on_its_node();
  for (Influence& influence : on_the_root.meshes[0].weights.influences) influence.index = 0;
  EXPECT_THAT(bound(on_the_root, rig).report.notes, testing::Not(testing::Contains(HasSubstr("of its driver"))));
  rig.layers[0].deformer = SurfaceFfdParameters{};
  EXPECT_THAT(bound(tube_on_its_node(), rig).report.notes, testing::Not(testing::Contains(HasSubstr("of its driver"))));
}

class BindCheckOn : public EveryTarget {};

// The parameter is an instruction set: the vector width of another processor changes no byte of the character.
TEST_P(BindCheckOn, IsTheSameOnEveryProcessor) {
  const std::vector<std::byte> here = serialize(bound(make_arm(), torn(CheckMode::kFallback)).character);
  choose_target(0);
  EXPECT_EQ(serialize(bound(make_arm(), torn(CheckMode::kFallback)).character), here);
}

INSTANTIATE_TEST_SUITE_P(Targets, BindCheckOn, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()), target_name);

TEST(CheckReport, NamesKindJointPoseAndVertex) {
  DefectLocation place{.defect = {DefectKind::kStretch, 2.34, 1.2, 0},
                       .pose = {.name = "walk at 0.42 s"},
                       .mesh = "body",
                       .joint = "hand",
                       .vertex = 12};
  EXPECT_EQ(in_words(place), "stretched 2.3 times at joint 'hand' in pose 'walk at 0.42 s' (mesh 'body', vertex 12)");
  place.joint = "";
  place.defect = {DefectKind::kStrain, 0.79, 1.4, 0};
  place.fallback = 0.4f;
  EXPECT_EQ(in_words(place),
            "skin painted rigid strained by 79% in pose 'walk at 0.42 s' (mesh 'body', vertex 12): there 40% "
            "linear blend");
  place.defect.kind = DefectKind::kDistance;
  place.fallback = 1;
  EXPECT_EQ(in_words(place),
            "79% of the size away from linear blend in pose 'walk at 0.42 s' (mesh 'body', vertex 12): there linear "
            "blend");
  place.fallback = 0;
  place.defect = {DefectKind::kCrease, 61.6, 2.1, 0};
  place.count = 9;
  EXPECT_EQ(in_words(place), "9 edges creased by up to 62 degrees in pose 'walk at 0.42 s' (mesh 'body', vertex 12)");
  place.defect.kind = DefectKind::kInverted;
  place.count = 1;
  EXPECT_EQ(in_words(place), "1 triangle inside out in pose 'walk at 0.42 s' (mesh 'body', vertex 12)");
}

}  // namespace
}  // namespace pelt
