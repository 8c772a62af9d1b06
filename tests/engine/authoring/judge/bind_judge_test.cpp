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
#include <pelt/tools/sample_poses.h>

#include "engine/authoring/judge/make_verdict.h"
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
  EXPECT_THAT(in_words(worst), testing::EndsWith(": left to linear blend"));
  EXPECT_THAT(judged.report.notes, testing::Contains(HasSubstr(worst.where + ", " + worst.when)));
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

// Linear blend does not take over what a sculptor asked for.
TEST(BindJudge, LeavesWhatWasSculpted) {
  const Model arm = make_arm();
  Rig rig = torn(Judging::kFallback);
  rig.layers[0].deformer.get<SurfaceFfdParameters>().driver.offsets.push_back({.vertex = 0, .offset = {0, 0.1f, 0}});
  const Bound judged = bound(arm, rig);
  ASSERT_TRUE(judged.report.verdict);
  EXPECT_EQ(judged.report.verdict->left, 0);
}

// Returns a tube in a cage. The tube hangs on a joint of its own beside the skeleton, as a mesh of a file without skin.
Model tube_on_its_node() {
  Model model = test::make_tube_in_cage();
  const auto node = static_cast<std::uint32_t>(model.bound_joints.size());
  model.bound_joints.push_back({.joint = static_cast<std::uint32_t>(model.skeleton.joints.size())});
  model.skeleton.joints.push_back({.name = "node"});
  Mesh& tube = model.meshes[0];
  tube.weights = {};
  const Influence whole{node, 1};
  for (std::size_t v = 0; v < tube.positions.size(); ++v) tube.weights.append_row(std::span(&whole, 1));
  return model;
}

// Linear blend by the node would leave the tube where it stands, far from where its cage goes.
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

// ------------------------------------------------------------------------------------------------------------ in words

// Finds a vertex of the biped's skin that these joints move, the first one most; `below`: below the first joint.
std::uint32_t find_vertex(const Model& model, const std::string& most, const std::string& next, bool below) {
  const Mesh& mesh = model.meshes[0];
  const auto name = [&](const Influence& i) { return model.skeleton.joints[model.bound_joints[i.index].joint].name; };
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) {
    std::vector<Influence> row(mesh.weights.row(v).begin(), mesh.weights.row(v).end());
    std::ranges::sort(row, std::greater(), &Influence::weight);
    if (row.size() < 2 || row[1].weight == row[0].weight || name(row[0]) != most || name(row[1]) != next) continue;
    const glm::vec3 joint(glm::inverse(model.bound_joints[row[0].index].inverse_bind)[3]);
    if ((mesh.positions[v].y < joint.y) == below) return v;
  }
  ADD_FAILURE() << "no vertex follows " << most << " and " << next;
  return 0;
}

std::string words_of(const Model& model, std::uint32_t vertex, const std::string& pose) {
  const Character linear = bound_by(model, "linear_blend");
  std::vector<JudgedPose> poses = sample_poses(linear);
  const auto found = std::ranges::find(poses, pose, &JudgedPose::name);
  if (found == poses.end()) return "there is no pose " + pose;
  const auto frame = static_cast<std::size_t>(found - poses.begin());
  const Result<Judge> judge = Judge::create(linear, std::move(poses));
  Faults faults;
  faults.vertices.resize(judge->vertex_count());
  faults.vertices[vertex] = {FaultKind::kStretch, 2.34, 1.2, frame};
  return in_words(make_verdict(*judge, faults, {}).places.at(0));
}

TEST(Verdict, SpeaksAsArtistsDo) {
  const Model biped = make_biped();
  const auto words = [&](const char* most, const char* next, bool below, const char* pose) {
    return words_of(biped, find_vertex(biped, most, next, below), pose);
  };
  EXPECT_THAT(words("left_upper_arm", "left_shoulder", true, "left_upper_arm up 135"),
              HasSubstr("left armpit, arm raised 135: stretched 2.3 times (mesh 'body'"));
  EXPECT_THAT(words("left_upper_arm", "left_shoulder", false, "left_upper_arm twisted 60"),
              HasSubstr("left shoulder, arm twisted 60"));
  EXPECT_THAT(words("right_forearm", "right_upper_arm", true, "right_forearm bent 135"),
              HasSubstr("right elbow, bent 135"));
  EXPECT_THAT(words("left_shin", "left_thigh", true, "left_thigh front 90"), HasSubstr("left knee, leg forward 90"));
}

}  // namespace
}  // namespace pelt
