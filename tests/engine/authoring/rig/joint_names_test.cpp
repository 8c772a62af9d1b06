// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <utility>

#include <pelt/tools/joint_names.h>

namespace pelt {
namespace {

TEST(JointNames, AreTheSameAcrossExporters) {
  for (const char* name : {"mixamorig:LeftForeArm", "mixamorigLeftForeArm", "forearm.L", "DEF-forearm.L.001_038",
                           "Bip01 L Forearm", "J_Bip_L_ForeArm", "lForeArm", "b_LeftForeArm_010", "char:def_l_forearm1",
                           "CC_Base_L_Forearm", "|root|L_foreArm", "ValveBiped.Bip01_L_Forearm", "FOREARM_L"}) {
    EXPECT_EQ(parse_joint_name(name), (JointName{Side::kLeft, "forearm"})) << name;
  }
  EXPECT_EQ(parse_joint_name("upper_arm.R"), (JointName{Side::kRight, "upperarm"}));
  EXPECT_EQ(parse_joint_name("upperarm_twist_01_r"), (JointName{Side::kRight, "upperarmtwist"}));
  EXPECT_EQ(parse_joint_name("LArm"), (JointName{Side::kLeft, "arm"}));
  EXPECT_EQ(parse_joint_name("right_hand"), (JointName{Side::kRight, "hand"}));
  EXPECT_EQ(parse_joint_name("Spine2"), (JointName{Side::kNone, "spine"}));
  EXPECT_EQ(parse_joint_name("Bone.001"), (JointName{Side::kNone, "bone"}));
  EXPECT_EQ(parse_joint_name("joint_bone"), (JointName{Side::kNone, "bone"}));
  EXPECT_EQ(parse_joint_name("b_12"), (JointName{Side::kNone, ""}));
  EXPECT_EQ(parse_joint_name(""), JointName{});
  EXPECT_EQ(parse_joint_name(":"), JointName{});
  EXPECT_EQ(parse_joint_name("K\xc3\xb6pf"), (JointName{Side::kNone, "k\xc3\xb6pf"}));
}

TEST(JointNames, OfMikuMikuDanceAreTranslated) {
  const std::pair<const char*, JointName> names[] = {
      {"左腕", {Side::kLeft, "upperarm"}},
      {"腕.L", {Side::kLeft, "upperarm"}},
      {"右ひじ", {Side::kRight, "elbow"}},
      {"右ﾋｼﾞ", {Side::kRight, "elbow"}},
      {"左手首", {Side::kLeft, "wrist"}},
      {"左手捩１", {Side::kLeft, "handtwist"}},
      {"左足", {Side::kLeft, "thigh"}},
      {"左足Ｄ", {Side::kLeft, "thigh"}},
      {"左足首", {Side::kLeft, "ankle"}},
      {"左足先EX", {Side::kLeft, "toeex"}},
      {"左足ＩＫ", {Side::kLeft, "thighik"}},
      {"右人差し指２", {Side::kRight, "index"}},
      {"首", {Side::kNone, "neck"}},
      {"上半身2", {Side::kNone, "upperbody"}},
      {"上半身２", {Side::kNone, "upperbody"}},
      {"ｾﾝﾀｰ", {Side::kNone, "center"}},
      {"頭髪", {Side::kNone, "head髪"}},
      {"Ｌｅｆｔ＿ａｒｍ", {Side::kLeft, "arm"}},
      {"\xef\xbc", {Side::kNone, "\xef\xbc"}},
  };
  for (const auto& [name, parsed] : names) EXPECT_EQ(parse_joint_name(name), parsed) << name;
}

TEST(JointNames, WordsAreWhole) {
  EXPECT_TRUE(holds_word("hip hips pelvis", "hips"));
  EXPECT_TRUE(holds_word("hip hips pelvis", "hip"));
  EXPECT_TRUE(holds_word("hip hips pelvis", "pelvis"));
  EXPECT_FALSE(holds_word("hips pelvis", "hip"));
  EXPECT_FALSE(holds_word("hips pelvis", ""));
  EXPECT_FALSE(holds_word("hips pelvis", "hips pelvis"));
}

}  // namespace
}  // namespace pelt
