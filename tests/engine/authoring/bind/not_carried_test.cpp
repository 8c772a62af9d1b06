// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pelt/curve_skeleton.h>
#include <pelt/dual_quaternion.h>
#include <pelt/import.h>
#include <pelt/key_pose.h>
#include <pelt/linear_blend.h>
#include <pelt/surface_ffd.h>
#include <pelt/tools/not_carried.h>

#include "tests/support/driven.h"

namespace pelt {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Adds morph targets to a mesh; they move nothing.
void add_targets(Mesh& mesh, const std::vector<std::string>& names, float weight = 0) {
  for (const std::string& name : names) {
    mesh.morph_targets.push_back({name, std::vector(mesh.positions.size(), glm::vec3(0, 0, 0.1f)), weight});
  }
}

Clip clip_of(const std::string& name, const std::vector<MorphChannel>& morph_channels) {
  return {.name = name, .duration = 1, .channels = {}, .morph_channels = morph_channels};
}

MorphChannel channel_of(const std::string& mesh, std::uint32_t target) {
  return {.mesh = mesh, .target = target, .times = {0, 1}, .values = {0, 1}};
}

Channel joint_channel() { return {.joint = 0, .times = {0}, .values = {0, 0, 0}}; }

TEST(NotCarried, IsNothingOfBuiltinCharacters) {
  for (const char* name : {"builtin:arm", "builtin:biped", "builtin:limb", "builtin:tail"}) {
    EXPECT_THAT(not_carried(*import_model(name), *rig_from_deformer_name("surface-ffd")), IsEmpty()) << name;
  }
}

// Returns a rig that moves the first mesh by this driver, which does not take its morph targets.
Rig driven_without_targets(const std::string& driver) {
  SurfaceFfdParameters parameters;
  parameters.driver.mesh = driver;
  parameters.driver.morph_targets = false;
  return test::rig_of(parameters, "tube");
}

TEST(NotCarried, AreTheMorphTargetsThatMoveNoDriverWithTheirClips) {
  Model model = test::make_tube_in_cage();
  add_targets(model.meshes[1], {"smile"});
  const Rig rig = driven_without_targets("cage");
  EXPECT_THAT(not_carried(model, rig), ElementsAre("morph targets that move no driver: 1 of 'cage' ('smile')"));
  add_targets(model.meshes[1], {"frown", "blink", "open", "narrow", "wide"}, 0.5f);
  model.clips = {clip_of("talk", {channel_of("cage", 1), channel_of("cage", 5)}), clip_of("walk", {})};
  model.clips.push_back(clip_of("shout", {channel_of("cage", 0)}));
  model.clips[1].channels.push_back(joint_channel());
  model.clips[2].channels.push_back(joint_channel());
  EXPECT_THAT(not_carried(model, rig),
              ElementsAre("morph targets that move no driver: 6 of 'cage' ('smile', 'frown', 'blink', 'open' "
                          "and 2 more); their weights at rest, which are not 0, of 'cage'; their keys in the clips "
                          "'talk', 'shout', so that nothing moves in 'talk'"));
}

TEST(NotCarried, AreNotTheMorphTargetsOfSkins) {
  Model model = test::make_tube();
  add_targets(model.meshes[0], {"smile"}, 0.5f);
  model.clips = {clip_of("talk", {channel_of("tube", 0)})};
  EXPECT_THAT(not_carried(model, {}), IsEmpty());
  EXPECT_EQ(test::bound_by(model, "linear_blend")->controls.size(), 1u);
}

TEST(NotCarried, IsOneNoteOfManyMeshes) {
  Model model = test::make_tube_in_cage();
  add_targets(model.meshes[1], {"a"});
  Rig rig = driven_without_targets("cage");
  for (int m = 1; m < 60; ++m) {
    model.meshes.push_back(model.meshes[1]);
    model.meshes.back().name = "part " + std::to_string(m);
    rig.layers.push_back(driven_without_targets(model.meshes.back().name).layers[0]);
  }
  ASSERT_EQ(not_carried(model, rig).size(), 1u);
  EXPECT_THAT(not_carried(model, rig)[0],
              AllOf(HasSubstr("1 of 'part 3' ('a'), those of 56 more meshes"), Not(HasSubstr("part 4"))));
}

// The character has controls or key poses for these targets.
TEST(NotCarried, AreNotTheMorphTargetsThatMoveADriver) {
  Model model = test::make_tube_in_cage();
  add_targets(model.meshes[1], {"bulge", "lift"});
  model.clips = {clip_of("flex", {channel_of("cage", 0)})};
  const auto left = [&](const Rig& rig) {
    const std::vector<std::string> notes = not_carried(model, rig);
    EXPECT_LE(notes.size(), 1u);
    return notes.empty() ? "" : notes[0];
  };
  SurfaceFfdParameters parameters = test::by_cage();
  const Rig plain = test::rig_of(parameters, "tube");
  EXPECT_EQ(left(plain), "");
  EXPECT_EQ(test::bound(model, plain).character->controls.size(), 2u);

  parameters.driver.morph_targets = false;
  parameters.driver.key_poses = {{{{"joint1", {0, 0, 2}}}, KeyInterpolation::kLinear, {{{90}, "bulge", {}}}}};
  const Rig keyed = test::rig_of(parameters, "tube");
  EXPECT_EQ(left(keyed), "morph targets that move no driver: 1 of 'cage' ('lift')");
  EXPECT_TRUE(test::bound(model, keyed).character->controls.empty());

  parameters = test::by_cage();
  parameters.driver.follow = Follow::kStreamed;
  const Rig streamed = test::rig_of(parameters, "tube");
  EXPECT_THAT(left(streamed), HasSubstr("2 of 'cage'"));
  EXPECT_TRUE(test::bound(model, streamed).character->controls.empty());

  Rig moved = plain;
  moved.layers.push_back({"cage", LinearBlendParameters{}, {}});
  EXPECT_THAT(left(moved), HasSubstr("2 of 'cage'"));
  EXPECT_TRUE(test::bound(model, moved).character->controls.empty());
}

TEST(NotCarried, AreAttributesImagesMasksAndBendyBones) {
  Model model = test::make_tube();
  const std::vector<float> values(model.meshes[0].positions.size(), 1.0f);
  for (const char* name : {"COLOR_0.r", "COLOR_0.g", "COLOR_0.b", "_MASK"}) {
    model.meshes[0].attributes.push_back({name, values});
  }
  model.materials = {{.name = "skin", .base_color_image = 0}, {.name = "hair", .alpha_mask = true}, {.name = "plain"}};
  model.bendy_bones = {{1, {}}};
  EXPECT_THAT(not_carried(model, {}),
              ElementsAre("bendy bones, which only bend a curve skeleton: 'joint1'",
                          "vertex attributes, which only masks and pictures of the model use: COLOR_0 of 'tube', "
                          "_MASK of 'tube'",
                          "images of the materials 'skin', alpha masks of the materials 'hair': pelt render --model "
                          "draws them from the model"));
  EXPECT_THAT(not_carried(model, test::rig_of(CurveSkeletonParameters{})),
              testing::Each(Not(HasSubstr("bendy bones"))));
}

TEST(NotCarried, IsWhatBindSaysFirst) {
  Model model = test::make_tube();
  model.bendy_bones = {{1, {}}};
  Rig rig;
  rig.layers = {{"*", LinearBlendParameters{}, {}}, {"*", DualQuaternionParameters{}, {}}};
  EXPECT_THAT(
      test::bound(model, rig).report.notes,
      ElementsAre("not carried: bendy bones, which only bend a curve skeleton: 'joint1'", HasSubstr("moves nothing")));
}

}  // namespace
}  // namespace pelt
