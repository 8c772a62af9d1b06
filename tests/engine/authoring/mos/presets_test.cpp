// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include <pelt/builtin.h>
#include <pelt/import.h>
#include <pelt/mos.h>
#include <pelt/mos_presets.h>
#include <pelt/rig_json.h>

#include "engine/authoring/chain/chains.h"
#include "tests/support/shared_files.h"

namespace pelt {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Pair;

using Names = std::vector<std::string>;

std::map<std::string, Names> chains_of(const Rig& rig) {
  std::map<std::string, Names> chains;
  for (const MosChain& chain : rig.layers.at(0).deformer.get<MosParameters>().chains) {
    EXPECT_TRUE(chains.emplace(chain.name, chain.joints).second) << chain.name;
  }
  return chains;
}

// Returns the chains of a preset. Fails the test if the preset gives no rig, if the rig cannot be written and read
// back, if its chains cannot be laid, or if they leave out a joint that weights use and automatic chains run through.
std::map<std::string, Names> chains_of(const std::string& preset, const Model& model) {
  const auto rig = rig_from_preset(preset, model);
  EXPECT_TRUE(rig) << (rig ? "" : rig.error().message);
  if (!rig) return {};
  EXPECT_EQ(rig->name, preset);
  const auto read = parse_rig(format_rig(*rig), "preset");
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  EXPECT_TRUE(read && *read == *rig);

  EXPECT_EQ(rig->layers.size(), 1u);
  const auto& mos = rig->layers.at(0).deformer.get<MosParameters>();
  EXPECT_FALSE(mos.automatic);
  std::vector<std::uint32_t> meshes(model.meshes.size());
  std::iota(meshes.begin(), meshes.end(), 0u);
  chain::ChainOptions options{.automatic = false};
  for (const MosChain& chain : mos.chains) options.curves.push_back({.name = chain.name, .joints = chain.joints});
  const auto laid = chain::find_chains(model, meshes, options);
  EXPECT_TRUE(laid) << (laid ? "" : laid.error().message);
  EXPECT_TRUE(laid && laid->chains.size() == mos.chains.size());
  return chains_of(*rig);
}

// Returns joints by name, parent and offset from it, without a mesh: all of them count.
Model skeleton_by_offsets(const std::vector<std::tuple<std::string, int, glm::vec3>>& joints) {
  Model model;
  model.name = "made";
  for (const auto& [name, parent, offset] : joints) {
    model.skeleton.joints.push_back({.name = name, .parent = parent, .rest = {.translation = offset}});
  }
  return model;
}

constexpr glm::vec3 kUp{0, 1, 0};
constexpr glm::vec3 kLeft{1, 0, 0};
constexpr glm::vec3 kRight{-1, 0, 0};
constexpr glm::vec3 kFront{0, 0.2f, 1};

// Returns a trunk of joints with the names `trunk`, and a left arm with the names `arm`.
Model half_body(const Names& trunk, const Names& arm) {
  std::vector<std::tuple<std::string, int, glm::vec3>> joints;
  for (std::size_t i = 0; i < trunk.size(); ++i) joints.emplace_back(trunk[i], static_cast<int>(i) - 1, kUp);
  for (std::size_t i = 0; i < arm.size(); ++i) {
    joints.emplace_back(arm[i], static_cast<int>(i == 0 ? 1 : joints.size() - 1), kLeft);
  }
  return skeleton_by_offsets(joints);
}

TEST(Presets, BipedOfTheBuiltIn) {
  const auto chains = chains_of("biped", make_biped());
  EXPECT_THAT(chains, Contains(Pair("spine", ElementsAre("hips", "spine", "chest", "neck", "head"))));
  EXPECT_THAT(
      chains,
      Contains(Pair("left_arm", ElementsAre("chest", "left_shoulder", "left_upper_arm", "left_forearm", "left_hand"))));
  EXPECT_THAT(chains, Contains(Pair("right_leg",
                                    ElementsAre("hips", "right_thigh", "right_shin", "right_foot", "right_toes"))));
  EXPECT_THAT(chains,
              Contains(Pair("left_ring", ElementsAre("left_hand", "left_ring_1", "left_ring_2", "left_ring_3"))));
  EXPECT_THAT(chains, AllOf(Contains(Key("right_arm")), Contains(Key("left_leg"))));
  EXPECT_EQ(chains.size(), 15u);  // five of the body, ten fingers
}

// Names that are meaningless or misleading: the file's data on bones count.
TEST(Presets, BipedOfHumanBones) {
  const Names trunk{"a", "b", "c", "d"};
  const Names arm{"e", "f", "left_foot", "h"};
  Model model = half_body(trunk, arm);
  model.skeleton.human_bones = {{"hips", 0},         {"spine", 1},        {"neck", 2},         {"head", 3},
                                {"leftShoulder", 4}, {"leftUpperArm", 5}, {"leftLowerArm", 6}, {"leftHand", 7}};
  const auto chains = chains_of("biped", model);
  EXPECT_THAT(chains, Contains(Pair("spine", trunk)));
  EXPECT_THAT(chains, Contains(Pair("left_arm", ElementsAre("b", "e", "f", "left_foot", "h"))));
  EXPECT_EQ(chains.size(), 2u);
}

TEST(Presets, BipedTakesHelpersAndFingersAlong) {
  // A twist joint half way along the upper arm, a metacarpal without a role, and two toes, one of which ends the leg.
  const Model model = skeleton_by_offsets({{"pelvis", -1, kUp},
                                           {"spine_01", 0, kUp},
                                           {"upperarm_l", 1, kLeft},
                                           {"upperarm_twist_01_l", 2, 0.5f * kLeft},
                                           {"lowerarm_l", 3, 0.5f * kLeft},
                                           {"hand_l", 4, kLeft},
                                           {"palm_l", 5, 0.2f * kLeft},
                                           {"index_01_l", 6, 0.2f * kLeft},
                                           {"index_02_l", 7, 0.1f * kLeft},
                                           {"thumb_01_l", 5, 0.1f * kUp},
                                           {"thigh_r", 0, kRight},
                                           {"calf_r", 10, -kUp},
                                           {"foot_r", 11, -kUp},
                                           {"toe_01_r", 12, kFront},
                                           {"toe_02_r", 12, kFront + 0.3f * kRight},
                                           {"belt", 0, kFront}});
  const auto chains = chains_of("biped", model);
  EXPECT_THAT(
      chains,
      Contains(Pair("left_arm", ElementsAre("spine_01", "upperarm_l", "upperarm_twist_01_l", "lowerarm_l", "hand_l"))));
  EXPECT_THAT(chains, Contains(Pair("left_index", ElementsAre("hand_l", "palm_l", "index_01_l", "index_02_l"))));
  EXPECT_THAT(chains, Contains(Pair("left_thumb", ElementsAre("hand_l", "thumb_01_l"))));
  EXPECT_THAT(chains, Contains(Pair("right_leg", ElementsAre("pelvis", "thigh_r", "calf_r", "foot_r", "toe_01_r"))));
  // The remaining joints hang on what they grow from.
  EXPECT_THAT(chains, Contains(Pair("toe_02_r", ElementsAre("foot_r", "toe_02_r"))));
  EXPECT_THAT(chains, Contains(Pair("belt", ElementsAre("pelvis", "belt"))));
}

// MikuMikuDance: both halves of the body hang on a center, helpers lie at the joints that they help.
TEST(Presets, BipedOfMikuMikuDance) {
  std::vector<std::tuple<std::string, int, glm::vec3>> joints{
      {"センター", -1, kUp}, {"下半身", 0, kUp}, {"上半身", 0, 1.1f * kUp},
      {"上半身2", 2, kUp},   {"首", 3, kUp},     {"頭", 4, kUp}};
  const std::pair<const char*, glm::vec3> kSides[] = {{"左", kLeft}, {"右", kRight}};
  for (const auto& [side, out] : kSides) {
    const auto add = [&, prefix = std::string(side)](const char* name, int parent, const glm::vec3& offset) {
      joints.emplace_back(prefix + name, parent, offset);
      return static_cast<int>(joints.size()) - 1;
    };
    const int arm = add("腕", add("肩", 3, out), out);
    const int wrist = add("手首", add("ひじ", add("腕捩", arm, 0.5f * out), 0.5f * out), out);
    for (const char* finger : {"親指", "人指", "中指", "薬指", "小指"}) {
      const float turn = 0.1f * static_cast<float>(joints.size());
      const std::string name = finger;
      add((name + "２").c_str(), add((name + "１").c_str(), wrist, out + turn * kFront), out);
    }
    add("つま先", add("足首", add("ひざ", add("足", 1, out), -kUp), -kUp), kFront);
  }
  std::vector<std::string> notes;
  const Model model = skeleton_by_offsets(joints);
  EXPECT_TRUE(rig_from_preset("biped", model, &notes));
  EXPECT_THAT(notes, IsEmpty());
  const auto chains = chains_of("biped", model);
  EXPECT_THAT(chains, Contains(Pair("spine", ElementsAre("センター", "上半身", "上半身2", "首", "頭"))));
  EXPECT_THAT(chains, Contains(Pair("left_arm", ElementsAre("上半身2", "左肩", "左腕", "左腕捩", "左ひじ", "左手首"))));
  EXPECT_THAT(chains, Contains(Pair("right_leg", ElementsAre("下半身", "右足", "右ひざ", "右足首", "右つま先"))));
  EXPECT_THAT(chains, Contains(Pair("right_pinky", ElementsAre("右手首", "右小指１", "右小指２"))));
  EXPECT_EQ(chains.size(), 15u);
}

TEST(Presets, BipedOfUnknownLimbsSaysSo) {
  std::vector<std::string> notes;
  const Model model = half_body({"hips", "spine", "neck", "head"}, {"left_shoulder", "a", "b", "c"});
  for (const std::string_view preset : preset_names()) EXPECT_TRUE(rig_from_preset(std::string(preset), model, &notes));
  EXPECT_THAT(
      notes,
      ElementsAre("preset biped knows too few joints by name for 'left_arm', 'right_arm', 'left_leg', 'right_leg'"));
}

TEST(Presets, BipedNeedsNoHierarchy) {
  const Model model = skeleton_by_offsets({{"root", -1, kFront},
                                           {"hips", 0, kUp},
                                           {"chest", 0, 2.0f * kUp},
                                           {"head", 0, 3.0f * kUp},
                                           {"hand.R", 0, 2.0f * kUp + 3.0f * kRight},
                                           {"forearm.R", 0, 2.0f * kUp + 2.0f * kRight},
                                           {"upper_arm.R", 0, 2.0f * kUp + kRight}});
  const auto chains = chains_of("biped", model);
  EXPECT_THAT(chains, Contains(Pair("spine", ElementsAre("hips", "chest", "head"))));
  EXPECT_THAT(chains, Contains(Pair("right_arm", ElementsAre("chest", "upper_arm.R", "forearm.R", "hand.R"))));
}

TEST(Presets, EveryPresetOfEveryFile) {
  PELT_REQUIRE_SHARED();
  const std::set<std::string> bipeds{"Knight", "lumberjack", "luke",           "mannequiny-0.3.0",
                                     "robot",  "Fox",        "alien_animated", "godot_player"};
  std::size_t rigs = 0;
  std::size_t bodies = 0;
  for (const auto& path : test::character_files()) {
    const auto model = import_model(path.string());
    if (!model) continue;
    SCOPED_TRACE(path.string());
    for (const std::string_view preset : preset_names()) {
      const auto rig = rig_from_preset(std::string(preset), *model);
      if (!rig) {
        EXPECT_EQ(rig.error().code, ErrorCode::kNotFound);
        continue;
      }
      ++rigs;
      auto chains = chains_of(std::string(preset), *model);
      EXPECT_THAT(chains, testing::Not(IsEmpty()));
      if (preset != "biped" || !bipeds.contains(path.stem().string())) continue;
      ++bodies;
      for (const char* limb : {"spine", "left_arm", "right_arm", "left_leg", "right_leg"}) {
        EXPECT_GE(chains[limb].size(), 3u) << limb;
      }
    }
  }
  EXPECT_GT(rigs, 20u);
  EXPECT_EQ(bodies, bipeds.size());
}

TEST(Presets, LimbRunsFromBranchToBranch) {
  EXPECT_THAT(chains_of("limb", make_limb()), ElementsAre(Pair("root..joint", ElementsAre("root", "joint"))));
  EXPECT_THAT(chains_of("limb", make_arm()),
              ElementsAre(Pair("shoulder..wrist", ElementsAre("shoulder", "elbow", "wrist"))));
  EXPECT_THAT(chains_of("limb", make_tail()), ElementsAre(Key("tail_0..tail_7")));
  const auto chains = chains_of("limb", make_biped());
  EXPECT_THAT(chains, Contains(Pair("left_thigh..left_toes",
                                    ElementsAre("hips", "left_thigh", "left_shin", "left_foot", "left_toes"))));
  EXPECT_THAT(chains, Contains(Pair("spine..chest", ElementsAre("hips", "spine", "chest"))));
  EXPECT_THAT(chains, Contains(Pair("neck..head", ElementsAre("chest", "neck", "head"))));
}

TEST(Presets, WhatFindsNothingSaysWhatItLookedFor) {
  const auto rig = rig_from_preset("biped", make_tail());
  ASSERT_FALSE(rig);
  EXPECT_EQ(rig.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(rig.error().message,
              AllOf(HasSubstr("'builtin:tail'"), HasSubstr("spine: hips hip pelvis "),
                    HasSubstr("arm (left, right): clavicle"), HasSubstr("There are: tail_0, tail_1")));
  for (const std::string_view preset : preset_names()) {
    EXPECT_EQ(rig_from_preset(std::string(preset), Model{}).error().code, ErrorCode::kNotFound);
    const auto single = rig_from_preset(std::string(preset), skeleton_by_offsets({{"hips", -1, kUp}}));
    ASSERT_FALSE(single) << preset;
    EXPECT_THAT(single.error().message, HasSubstr("There are: hips"));
  }
  std::vector<std::tuple<std::string, int, glm::vec3>> many;
  for (int i = 0; i < 60; ++i) many.emplace_back("thing" + std::to_string(i), i - 1, kUp);
  EXPECT_THAT(rig_from_preset("biped", skeleton_by_offsets(many)).error().message, HasSubstr("thing49 and 10 more"));
}

TEST(Presets, UnknownNameIsAnErrorWithTheNearest) {
  const auto rig = rig_from_preset("bipde", make_biped());
  ASSERT_FALSE(rig);
  EXPECT_EQ(rig.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(rig.error().message, HasSubstr("no preset 'bipde'; did you mean 'biped'? There are: biped, limb"));
}

}  // namespace
}  // namespace pelt
