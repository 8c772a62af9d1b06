// SPDX-License-Identifier: MIT
// Tests the curves that a rig splits, removes and names.
#include <gmock/gmock.h>

#include <limits>

#include <pelt/builtin.h>

#include "tests/engine/authoring/chain/small_chains.h"

namespace pelt::chain {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

using test::skeleton_of;

TEST(Chains, SplitEndsCurves) {
  const Model line = skeleton_of({{"a", -1, {0, 0, 0}}, {"b", 0, {1, 0, 0}}, {"c", 1, {2, 1, 0}}});
  EXPECT_THAT(names(chains_of(line, {.split = {"b"}})), UnorderedElementsAre("a..b", "b..c"));

  const Model y = make_y();
  EXPECT_THAT(names(chains_of(y, {.split = {"hip"}})),
              UnorderedElementsAre("root..hip", "hip..left_end", "hip..right_end"));
}

TEST(Chains, RemoveLeavesOut) {
  const Model model = make_y();
  const Chains chains = chains_of(model, {.remove = {"left_end..right_end"}});
  EXPECT_THAT(names(chains), UnorderedElementsAre("root..left_end", "root..right_end"));
  const Chains bare = chains_of(model, {.remove = {"left_end..right_end", "root..right_end"}});
  EXPECT_THAT(linkage_of(bare, model, "right").curves, IsEmpty());
  EXPECT_THAT(bare.notes, Contains("No curve runs through joint 'right'."));
}

TEST(Chains, NamedCurvesAreAddedAndReplace) {
  const Model model = make_y();
  ChainOptions options;
  options.curves = {{.name = "armpit", .joints = {"root", "hip", "left"}, .offset = {0, 0, 0.5f}},
                    {.name = "left_end..right_end", .joints = {"left", "hip", "right"}}};
  const Chains chains = chains_of(model, options);
  EXPECT_THAT(names(chains),
              UnorderedElementsAre("root..left_end", "root..right_end", "left_end..right_end", "armpit"));
  EXPECT_EQ(chain_of(chains, "armpit").anchors[1].position, glm::vec3(0, 1, 0.5f));
  EXPECT_EQ(chain_of(chains, "armpit").anchors[1].joint, 1u);
  EXPECT_THAT(joints_of(model, chain_of(chains, "left_end..right_end")), ElementsAre("left", "hip", "right"));
  EXPECT_EQ(chain_of(chains, "left_end..right_end").top, 1u);
  EXPECT_THAT(linkage_of(chains, model, "hip").curves, SizeIs(4));

  options.automatic = false;
  EXPECT_THAT(names(chains_of(model, options)), ElementsAre("armpit", "left_end..right_end"));
}

TEST(Chains, NamedCurvesNeedNoParents) {
  const Model model = skeleton_of({{"a", -1, {0, 0, 0}}, {"b", -1, {1, 0, 0}}, {"c", -1, {2, 0, 0}}});
  EXPECT_EQ(error_of(model, {}).code, ErrorCode::kInvalidArgument);
  const Chains chains = chains_of(model, {.curves = {{.name = "arm", .joints = {"a", "b", "c"}}}});
  EXPECT_THAT(joints_of(model, chains.chains.at(0)), ElementsAre("a", "b", "c"));
  EXPECT_EQ(chains.chains[0].top, 0u);
  EXPECT_EQ(linkage_of(chains, model, "b").linkage, Linkage::kTwo);
  EXPECT_EQ(linkage_of(chains, model, "c").linkage, Linkage::kEnd);
}

TEST(Chains, NamedCurvesEndAtTips) {
  const Model limb = make_limb();
  const Chains chains = chains_of(limb, {.curves = {{.name = "tip", .joints = {"joint", "root"}}}, .automatic = false});
  ASSERT_THAT(joints_of(limb, chains.chains.at(0)), ElementsAre("joint", "joint", "root"));
  EXPECT_EQ(chains.chains[0].top, 2u);
}

TEST(Chains, TipsThatRoundToTheirJointAreNoAnchors) {
  Model model = skeleton_of(
      {{"root", -1, {0, 0, 0}}, {"left", 0, {-1, 0, 0}}, {"right", 0, {1, 0, 0}}, {"right_end", 2, {2, 0, 0}}});
  model.bound_joints.clear();
  add_skin(model, 0, {0, 0, 0}, {{0, 0.1f, 0}});
  add_skin(model, 1, {-1, 0, 0}, {{-1.02f, 0, 0}});
  add_skin(model, 2, {1, 0, 0}, {{1, 0.1f, 0}});
  add_skin(model, 3, {2, 0, 0}, {{3, 0, 0}});
  ChainOptions options{.curves = {{.name = "arms", .joints = {"left", "right", "right_end"}}}, .automatic = false};
  const Chains near = chains_of(model, options);
  EXPECT_THAT(joints_of(model, near.chains.at(0)), ElementsAre("left", "left", "right", "right_end", "right_end"));
  EXPECT_EQ(near.chains[0].top, 1u);
  options.curves[0].offset = {1048576, 0, 0};  // floats are 0.06 apart there
  const Chains far = chains_of(model, options);
  EXPECT_THAT(joints_of(model, far.chains.at(0)), ElementsAre("left", "right", "right_end", "right_end"));
  EXPECT_EQ(far.chains[0].top, 0u);
}

TEST(Chains, UnknownNamesAreNotFound) {
  const Model model = make_y();
  for (const auto& [options, hint] : std::vector<std::pair<ChainOptions, std::string>>{
           {{.split = {"hips"}}, "did you mean 'hip'?"},
           {{.remove = {"root..left"}}, "did you mean 'root..left_end'?"},
           {{.curves = {{.name = "c", .joints = {"root", "rihgt"}}}}, "did you mean 'right'?"},
           {{.remove = {"root..left_end"}, .automatic = false}, "remove: there is no curve 'root..left_end'"}}) {
    const Error error = error_of(model, options);
    EXPECT_EQ(error.code, ErrorCode::kNotFound);
    EXPECT_THAT(error.message, HasSubstr(hint));
  }
}

TEST(Chains, NamedCurvesThatAreNoneAreRefused) {
  const Model model = make_y();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::vector<ChainOptions::Named>& curves : std::vector<std::vector<ChainOptions::Named>>{
           {{.name = "", .joints = {"root", "hip"}}},
           {{.name = "c", .joints = {}}},
           {{.name = "c", .joints = {"root"}}},
           {{.name = "c", .joints = {"root", "hip", "root"}}},
           {{.name = "c", .joints = {"root", "hip"}, .offset = {0, nan, 0}}},
           {{.name = "c", .joints = {"root", "hip"}}, {.name = "c", .joints = {"hip", "left"}}}}) {
    EXPECT_EQ(error_of(model, {.curves = curves}).code, ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(error_of(model, {.automatic = false}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error_of(Model{}, {}).code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace pelt::chain
