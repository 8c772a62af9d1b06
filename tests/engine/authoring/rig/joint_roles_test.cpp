// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include <pelt/builtin.h>
#include <pelt/import.h>
#include <pelt/tools/joint_roles.h>

#include "tests/support/must.h"
#include "tests/support/shared_files.h"
#include "tests/support/skeleton.h"

namespace pelt {
namespace {

struct Expected {
  std::string name;
  JointRole role;
  JointKind kind;
};

// Makes joints one below the other; each bone is at 30 degrees to the last.
Skeleton chain_of(const std::vector<Expected>& joints) {
  std::vector<test::Node> nodes;
  glm::vec3 place(0);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    nodes.push_back({joints[j].name, static_cast<std::int32_t>(j) - 1, place});
    const float angle = 0.5236f * static_cast<float>(j);
    place += glm::vec3(std::cos(angle), std::sin(angle), 0);
  }
  return test::skeleton_of(nodes).skeleton;
}

void expect_uses(const std::vector<Expected>& joints) {
  const std::vector<JointUse> uses = joint_uses(chain_of(joints));
  ASSERT_EQ(uses.size(), joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    EXPECT_EQ(uses[j].role, joints[j].role) << joints[j].name;
    EXPECT_EQ(uses[j].kind, joints[j].kind) << joints[j].name;
  }
}

using Role = JointRole;
using Kind = JointKind;

void expect_kinds(const Skeleton& skeleton, const std::vector<std::pair<Kind, std::vector<const char*>>>& expected) {
  const std::vector<JointUse> uses = joint_uses(skeleton);
  for (const auto& [kind, names] : expected) {
    for (const char* name : names) EXPECT_EQ(uses[skeleton.find(name).value()].kind, kind) << name;
  }
}

TEST(JointRoles, OfLimbsWhoseJointsAreCounted) {
  expect_uses({{"Skeleton_arm_joint_L__4_", Role::kUpperArm, Kind::kBall},
               {"Skeleton_arm_joint_L__3_", Role::kForearm, Kind::kHinge},
               {"Skeleton_arm_joint_L__2_", Role::kHand, Kind::kBall}});
  expect_uses({{"leg_joint_R_1", Role::kThigh, Kind::kBall},
               {"leg_joint_R_2", Role::kShin, Kind::kHinge},
               {"leg_joint_R_3", Role::kFoot, Kind::kBall}});
}

TEST(JointRoles, OfLimbsAsExportersNameThem) {
  const std::vector<std::array<const char*, 4>> arms{
      {"mixamorig:LeftShoulder", "mixamorig:LeftArm", "mixamorig:LeftForeArm", "mixamorig:LeftHand"},
      {"LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"},
      {"Bip01 L Clavicle", "Bip01 L UpperArm", "Bip01 L Forearm", "Bip01 L Hand"},
      {"clavicle_l", "upperarm_l", "lowerarm_l", "hand_l"},
      {"DEF-shoulder.L", "DEF-upper_arm.L", "DEF-forearm.L", "DEF-hand.L"},
      {"J_Bip_L_Shoulder", "J_Bip_L_UpperArm", "J_Bip_L_LowerArm", "J_Bip_L_Hand"},
      {"lCollar", "lShldrBend", "lForearmBend", "lHand"},
      {"CC_Base_L_Clavicle", "CC_Base_L_Upperarm", "CC_Base_L_Forearm", "CC_Base_L_Hand"},
      {"left_collar", "left_shoulder", "left_elbow", "left_wrist"},
      {"shoulder.L", "upper_arm.L", "forearm.L", "hand.L"},
      {"L_Collar", "L_Shoulder", "L_Elbow", "L_Wrist"},
      {"左肩", "左腕", "左ひじ", "左手首"},
      {"肩.L", "腕.L", "ひじ.L", "手首.L"},
      {"Shoulder_L", "Arm_L", "Elbow_L", "Wrist_L"},
      {"shoulder.l", "arm_stretch.l", "forearm_stretch.l", "hand.l"},
      {"L_clavicle_bind_JNT", "L_armUpper0001_bind_JNT", "L_armLower0001_bind_JNT", "L_hand0001_bind_JNT"},
      {"LeftShoulder_jnt", "LeftArmUpper_jnt", "LeftArmLower_jnt", "LeftHandWrist_jnt"}};
  for (const auto& [clavicle, upper, lower, hand] : arms) {
    expect_uses({{clavicle, Role::kClavicle, Kind::kBall},
                 {upper, Role::kUpperArm, Kind::kBall},
                 {lower, Role::kForearm, Kind::kHinge},
                 {hand, Role::kHand, Kind::kBall}});
  }
  const std::vector<std::array<const char*, 4>> legs{
      {"mixamorig:RightUpLeg", "mixamorig:RightLeg", "mixamorig:RightFoot", "mixamorig:RightToeBase"},
      {"Bip01 R Thigh", "Bip01 R Calf", "Bip01 R Foot", "Bip01 R Toe0"},
      {"thigh_r", "calf_r", "foot_r", "ball_r"},
      {"DEF-thigh.R", "DEF-shin.R", "DEF-foot.R", "DEF-toe.R"},
      {"J_Bip_R_UpperLeg", "J_Bip_R_LowerLeg", "J_Bip_R_Foot", "J_Bip_R_ToeBase"},
      {"rThighBend", "rShin", "rFoot", "rToe"},
      {"right_hip", "right_knee", "right_ankle", "right_toe"},
      {"b_LeftLeg01_015", "b_LeftLeg02_016", "b_LeftFoot01_017", "LeftToe"},
      {"RightLegUpper_jnt", "RightLegLower_jnt", "RightFootAnkle_jnt", "RightFootBall_jnt"}};
  const std::vector<std::array<const char*, 4>> trunks{
      {"pelvis", "spine_01", "neck_01", "head"},       {"Bip01 Pelvis", "Bip01 Spine", "Bip01 Neck", "Bip01 Head"},
      {"pelvis", "abdomenLower", "neckLower", "head"}, {"下半身", "上半身", "首", "頭"},
      {"LowerBody", "UpperBody", "Neck", "Head"},      {"root_hip_jnt", "SpineLower_jnt", "Neck_jnt", "Head_jnt"}};
  for (const auto& [hips, spine, neck, head] : trunks) {
    expect_uses({{hips, Role::kHips, Kind::kBall},
                 {spine, Role::kSpine, Kind::kBall},
                 {neck, Role::kNeck, Kind::kBall},
                 {head, Role::kHead, Kind::kBall}});
  }
}

TEST(JointRoles, OfTrunkAndFingers) {
  expect_uses({{"mixamorig:Hips", Role::kHips, Kind::kBall},
               {"mixamorig:Spine", Role::kSpine, Kind::kBall},
               {"mixamorig:Spine1", Role::kSpine, Kind::kBall},
               {"upper_chest", Role::kChest, Kind::kBall},
               {"mixamorig:Neck", Role::kNeck, Kind::kBall},
               {"mixamorig:Head", Role::kHead, Kind::kBall}});
  expect_uses({{"thumb_01_l", Role::kThumb, Kind::kHinge}, {"thumb_02_l", Role::kThumb, Kind::kHinge}});
  expect_uses({{"DEF-f_index.01.L", Role::kIndex, Kind::kHinge}, {"DEF-f_index.02.L", Role::kIndex, Kind::kHinge}});
  expect_uses({{"LeftIndexProximal", Role::kIndex, Kind::kHinge},
               {"LeftIndexIntermediate", Role::kIndex, Kind::kHinge},
               {"LeftIndexDistal", Role::kIndex, Kind::kHinge}});
  expect_uses({{"index_metacarpal_l", Role::kIndexMetacarpal, Kind::kNone}});
  expect_uses({{"hock.L", Role::kHock, Kind::kHinge}});
}

// A shoulder is an upper arm if there is no clavicle above and no other upper arm, whichever side it is on.
TEST(JointRoles, OfAnArmThatBeginsAtTheShoulder) {
  expect_uses({{"shoulder", Role::kUpperArm, Kind::kBall},
               {"elbow", Role::kForearm, Kind::kHinge},
               {"wrist", Role::kHand, Kind::kBall}});
}

// The elbow is in line with its upper arm, and no forearm is named besides.
TEST(JointRoles, TakesNoElbowForATwistHelper) {
  const Model arm =
      test::skeleton_of({{"arm.L", -1, {0, 0, 0}}, {"arm.L.001", 0, {1, 0, 0}}, {"hand.L", 1, {2, 0, 0}}});
  EXPECT_NE(joint_uses(arm.skeleton)[1].kind, Kind::kTwist);
  const Model helped = test::skeleton_of(
      {{"arm.L", -1, {0, 0, 0}}, {"arm.L.001", 0, {1, 0, 0}}, {"forearm.L", 1, {2, 0, 0}}, {"hand.L", 2, {3, 0, 0}}});
  EXPECT_EQ(joint_uses(helped.skeleton)[1].kind, Kind::kTwist);
  EXPECT_NE(joint_uses(test::skeleton_of({{"controller", -1, {0, 0, 0}}}).skeleton)[0].kind, Kind::kTwist);
}

TEST(JointRoles, TellsTwistHelpers) {
  expect_uses({{"upperarm_l", Role::kUpperArm, Kind::kBall}, {"upperarm_twist_01_l", Role::kNone, Kind::kTwist}});
  expect_uses({{"LeftForeArm", Role::kForearm, Kind::kHinge}, {"LeftForeArmRoll", Role::kNone, Kind::kTwist}});
  expect_uses({{"def_l_thigh", Role::kThigh, Kind::kBall}, {"def_l_thighMid1", Role::kNone, Kind::kTwist}});
  expect_uses({{"Hip_L", Role::kThigh, Kind::kBall}, {"HipPart1_L", Role::kNone, Kind::kTwist}});
  // Rigify's segments go on straight; this tells them from a hip bone with a thigh below.
  expect_kinds(test::skeleton_of({{"DEF-upper_arm.L", -1, {0, 0, 0}},
                                  {"DEF-upper_arm.L.001", 0, {1, 0, 0}},
                                  {"DEF-forearm.L", 1, {2, 0, 0}},
                                  {"DEF-forearm.L.001", 2, {3, 0.2f, 0}},
                                  {"DEF-hand.L", 3, {4, 0.4f, 0}}})
                   .skeleton,
               {{Kind::kBall, {"DEF-upper_arm.L"}},
                {Kind::kHinge, {"DEF-forearm.L"}},
                {Kind::kTwist, {"DEF-upper_arm.L.001", "DEF-forearm.L.001"}}});
  expect_kinds(
      test::skeleton_of({{"hip.L", -1, {0, 0, 0}}, {"thigh.L", 0, {1, 0, 0}}, {"shin.L", 1, {1, -4, 0}}}).skeleton,
      {{Kind::kBall, {"hip.L", "thigh.L"}}, {Kind::kHinge, {"shin.L"}}});
}

TEST(JointRoles, SaysNothingOfWhatItDoesNotKnow) {
  expect_uses({{"Bone", Role::kNone, Kind::kNone}, {"Bone.001", Role::kNone, Kind::kNone}});
  // Fingers need a side: "ring" without one is not a finger.
  expect_uses({{"ring", Role::kNone, Kind::kNone}});
  expect_uses({{"", Role::kNone, Kind::kNone}});
}

TEST(JointRoles, OfTheBuiltInBiped) {
  expect_kinds(
      make_biped().skeleton,
      {{Kind::kHinge, {"left_forearm", "right_shin", "left_thumb_1", "left_index_2", "right_middle_3", "left_pinky_3"}},
       {Kind::kBall, {"hips", "spine", "neck", "head", "left_shoulder", "left_hand", "right_thigh"}},
       {Kind::kPatch, {"jaw", "left_eye", "right_upper_lid", "left_lower_lid"}},
       {Kind::kNone, {"root", "left_toes"}}});
}

// Names that no program exports by itself: elbows above forearms, "mid" of a bone.
TEST(JointRoles, OfARealCharacter) {
  PELT_REQUIRE_SHARED();
  const Model luke = test::must(import_model((*test::shared_folder() / "assets/characters/luke/luke.gltf").string()));
  expect_kinds(luke.skeleton, {{Kind::kBall, {"char:def_l_clav", "char:def_l_shoulder"}},
                               {Kind::kTwist, {"char:def_l_shoulderMid1", "char:def_r_forearm", "char:def_r_forearm1"}},
                               {Kind::kHinge, {"char:def_r_elbow", "char:def_l_knee", "char:def_l_fngMidB"}},
                               {Kind::kPatch, {"char:def_l_browA"}}});
}

}  // namespace
}  // namespace pelt
