// SPDX-License-Identifier: MIT
// VRM 0.x and 1.0: the map of bones and expressions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <pelt/import.h>
#include <pelt/tools/joint_roles.h>

#include "tests/engine/authoring/model/gltf/gltf_file.h"
#include "tests/engine/authoring/model/gltf/vrm_file.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::GltfFile;
using test::imported;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

json& vrm(GltfFile& file) { return file.json["extensions"]["VRMC_vrm"]; }
json& vrm0(GltfFile& file) { return file.json["extensions"]["VRM"]; }
json& groups(GltfFile& file) { return vrm0(file)["blendShapeMaster"]["blendShapeGroups"]; }

std::vector<std::string> names_of(const std::vector<Expression>& expressions) {
  std::vector<std::string> names;
  for (const Expression& expression : expressions) names.push_back(expression.name);
  return names;
}

// Adds a chain of nodes below the root, joints with meaningless names, and returns the first.
std::size_t add_chain(GltfFile& file, std::size_t count) {
  const std::size_t first = file.json["nodes"].size();
  file.json["nodes"][1]["children"].push_back(first);
  for (std::size_t i = 0; i < count; ++i) {
    json node{{"name", "骨" + std::to_string(i)}, {"translation", {i % 2 == 0 ? 1 : 0, i % 2, 0}}};
    if (i + 1 < count) node["children"] = {first + i + 1};
    file.push("nodes", std::move(node));
  }
  return first;
}

using Bone = std::pair<const char*, JointRole>;

void expect_roles(const Model& model, const std::vector<Bone>& wanted) {
  ASSERT_EQ(model.skeleton.human_bones.size(), wanted.size());
  const std::vector<JointUse> uses = joint_uses(model.skeleton);
  for (const Bone& bone : wanted) {
    const auto found = std::ranges::find(model.skeleton.human_bones, bone.first, &HumanBone::name);
    ASSERT_NE(found, model.skeleton.human_bones.end()) << bone.first;
    EXPECT_EQ(uses[found->joint].role, bone.second) << bone.first;
    const bool left = found->name.starts_with("left");
    EXPECT_EQ(uses[found->joint].side, left ? Side::kLeft : Side::kNone) << bone.first;
  }
}

constexpr std::array kArm{Bone{"leftShoulder", JointRole::kClavicle},
                          Bone{"leftUpperArm", JointRole::kUpperArm},
                          Bone{"leftLowerArm", JointRole::kForearm},
                          Bone{"leftHand", JointRole::kHand},
                          Bone{"leftThumbMetacarpal", JointRole::kThumb},
                          Bone{"leftThumbProximal", JointRole::kThumb},
                          Bone{"leftLittleProximal", JointRole::kPinky},
                          Bone{"leftIndexDistal", JointRole::kIndex},
                          Bone{"leftUpperLeg", JointRole::kThigh},
                          Bone{"leftLowerLeg", JointRole::kShin},
                          Bone{"leftFoot", JointRole::kFoot},
                          Bone{"leftToes", JointRole::kToes},
                          Bone{"hips", JointRole::kHips},
                          Bone{"upperChest", JointRole::kChest},
                          Bone{"head", JointRole::kHead}};

TEST(Vrm, BonesSayWhatJointsOfMeaninglessNamesAre) {
  for (const bool old : {true, false}) {
    GltfFile file = GltfFile::skinned_triangle();
    const std::size_t first = add_chain(file, kArm.size());
    for (const JointUse& use : joint_uses(imported(file).skeleton)) EXPECT_EQ(use.role, JointRole::kNone);
    for (std::size_t i = 0; i < kArm.size(); ++i) {
      std::string bone = kArm[i].first;
      if (!old) {
        vrm(file)["humanoid"]["humanBones"][bone] = {{"node", first + i}};
        continue;
      }
      if (bone == "leftThumbProximal") bone = "leftThumbIntermediate";  // as 0.x counts
      if (bone == "leftThumbMetacarpal") bone = "leftThumbProximal";
      vrm0(file)["humanoid"]["humanBones"].push_back({{"bone", bone}, {"node", first + i}});
    }
    if (old) vrm0(file)["humanoid"]["humanBones"].push_back({{"bone", "jaw"}, {"node", -1}});
    const Model model = imported(file);
    EXPECT_THAT(model.report.notes, Not(Contains(HasSubstr("human bones"))));
    expect_roles(model, {kArm.begin(), kArm.end()});
  }
}

TEST(Vrm, BonesGoBeforeNames) {
  GltfFile file = GltfFile::skinned_triangle();
  file.json["nodes"][1]["name"] = "LeftHand";
  file.json["nodes"][2]["name"] = "RightEye";
  vrm(file)["humanoid"]["humanBones"] = {{"head", {{"node", 1}}}, {"leftEye", {{"node", 2}}}};
  const Model model = imported(file);
  const std::vector<JointUse> uses = joint_uses(model.skeleton);
  const auto& bones = model.skeleton.human_bones;
  ASSERT_EQ(bones.size(), 2u);
  EXPECT_EQ(uses[bones[0].joint].role, JointRole::kHead);
  EXPECT_EQ(uses[bones[1].joint].side, Side::kLeft);
  EXPECT_EQ(uses[bones[1].joint].kind, JointKind::kPatch);
}

TEST(Vrm, BonesThatAreUnknownOrNamedTwiceAreNoted) {
  GltfFile file = GltfFile::skinned_triangle();
  vrm0(file)["humanoid"]["humanBones"] = {{{"bone", "hips"}, {"node", 1}},
                                          {{"bone", "hips"}, {"node", 2}},
                                          {{"bone", "spine"}, {"node", 1}},
                                          {{"bone", "wing"}, {"node", 2}}};
  const Model model = imported(file);
  ASSERT_EQ(model.skeleton.human_bones.size(), 1u);
  EXPECT_EQ(model.skeleton.joints[model.skeleton.human_bones[0].joint].name, "root");
  EXPECT_THAT(model.report.notes, Contains("human bones of unknown names: 'wing'"));
  EXPECT_THAT(model.report.notes,
              Contains("human bones left out, since their name or joint is already used: 'hips', 'spine'"));
}

TEST(Vrm, ExpressionsOf1_0AreSetsOfTargets) {
  GltfFile file = test::face();
  vrm(file)["expressions"] = {
      {"preset", {{"happy", {{"morphTargetBinds", {{{"node", 0}, {"index", 1}, {"weight", 0.5}}}}}}}},
      {"custom",
       {{"Wink",
         {{"isBinary", true}, {"morphTargetBinds", {{{"node", 0}, {"index", 0}}, {{"node", 0}, {"index", 2}}}}}}}}};
  const Model model = imported(file);
  EXPECT_THAT(names_of(model.expressions), ElementsAre("happy", "Wink"));
  const Expression& happy = model.expressions[0];
  EXPECT_FALSE(happy.binary);
  ASSERT_EQ(happy.targets.size(), 1u);
  EXPECT_EQ(happy.targets[0].mesh, model.meshes[0].name);
  EXPECT_EQ(happy.targets[0].target, 1u);
  EXPECT_EQ(happy.targets[0].weight, 0.5f);
  const Expression& wink = model.expressions[1];
  EXPECT_TRUE(wink.binary);
  ASSERT_EQ(wink.targets.size(), 2u);
  EXPECT_EQ(wink.targets[1].target, 2u);
  EXPECT_EQ(wink.targets[1].weight, 1.0f);
}

json group(const char* preset, const char* name, int target = 0, double weight = 100) {
  return {{"presetName", preset},
          {"name", name},
          {"binds", {{{"mesh", 0}, {"index", target}, {"weight", weight}}}},
          {"materialValues", json::array()}};
}

TEST(Vrm, ExpressionsOf0_xHaveTheNamesOf1_0AndPercents) {
  GltfFile file = test::face();
  groups(file) = {group("unknown", "Wink", 2, 25), group("joy", "JOY", 1), group("blink_l", "")};
  groups(file)[0]["isBinary"] = true;
  const Model model = imported(file);
  EXPECT_THAT(names_of(model.expressions), ElementsAre("happy", "blinkLeft", "Wink"));
  EXPECT_EQ(model.expressions[0].targets[0].weight, 1.0f);
  EXPECT_EQ(model.expressions[0].targets[0].target, 1u);
  EXPECT_TRUE(model.expressions[2].binary);
  EXPECT_EQ(model.expressions[2].targets[0].weight, 0.25f);
}

TEST(Vrm, PresetsOf0_xAllHaveNewNames) {
  const std::vector<std::string> old_names{"neutral", "joy",    "angry",    "sorrow",   "fun",      "a",
                                           "i",       "u",      "e",        "o",        "blink",    "blink_l",
                                           "blink_r", "lookup", "lookdown", "lookleft", "lookright"};
  const std::vector<std::string> names{"neutral",    "happy",  "angry",    "sad",      "relaxed",  "aa",
                                       "ih",         "ou",     "ee",       "oh",       "blink",    "blinkLeft",
                                       "blinkRight", "lookUp", "lookDown", "lookLeft", "lookRight"};
  GltfFile file = test::face();
  for (const std::string& name : old_names) groups(file).push_back(group(name.c_str(), "x"));
  EXPECT_EQ(names_of(imported(file).expressions), names);
}

TEST(Vrm, ExpressionsOf0_xMoveAMeshAtEachOfItsNodes) {
  GltfFile file = test::face();
  file.push("nodes", {{"mesh", 0}, {"name", "mirror"}});
  groups(file) = json::array({group("joy", "")});
  const Model model = imported(file);
  ASSERT_EQ(model.meshes.size(), 2u);
  ASSERT_EQ(model.expressions[0].targets.size(), 2u);
  EXPECT_EQ(model.expressions[0].targets[0].mesh, model.meshes[0].name);
  EXPECT_EQ(model.expressions[0].targets[1].mesh, model.meshes[1].name);
}

// A preset keeps its name, the first of others too; '/' is for other controls.
TEST(Vrm, ExpressionsHaveNamesOfTheirOwn) {
  GltfFile file = test::face();
  groups(file) = {group("unknown", "happy"), group("", ""), group("joy", ""), group("new", "node_0/target_0"),
                  group("joy", "again")};
  EXPECT_THAT(names_of(imported(file).expressions),
              ElementsAre("happy", "happy#2", "happy#3", "expression_1", "node_0_target_0"));
}

// Files have them, and open.
TEST(Vrm, ExpressionsOfTargetsThatAreNotThereAreNoted) {
  GltfFile file = test::face();
  groups(file) = {group("joy", "", 3), group("sorrow", "", -1), group("fun", "")};
  groups(file)[1]["binds"][0]["mesh"] = -1;
  groups(file)[2]["binds"].push_back({{"mesh", 0}, {"index", 9}});
  const Model model = imported(file);
  EXPECT_THAT(names_of(model.expressions), ElementsAre("relaxed"));
  EXPECT_THAT(model.report.notes, Contains("expressions with missing morph targets: 'happy', 'sad', "
                                           "'relaxed'"));
  EXPECT_THAT(model.report.notes, Contains("expressions left out, since they move no morph target: 'happy', 'sad'"));
}

TEST(Vrm, OfTheNewerVersionIsReadWhereBothAreThere) {
  GltfFile file = test::face();
  groups(file) = json::array({group("joy", "")});
  vrm(file)["expressions"]["preset"]["sad"]["morphTargetBinds"] = {{{"node", 0}, {"index", 0}}};
  EXPECT_THAT(names_of(imported(file).expressions), ElementsAre("sad"));
}

// The weights of the whole mesh move its levels.
TEST(Vrm, ExpressionsNameNoLevelsOfDetail) {
  GltfFile file = test::face();
  file.json["nodes"][0]["name"] = "face";
  file.push("nodes", {{"mesh", 0}, {"name", "face_LOD1"}});
  groups(file) = json::array({group("joy", "")});
  const Model model = imported(file);
  ASSERT_EQ(model.levels.size(), 1u);
  ASSERT_EQ(model.expressions[0].targets.size(), 1u);
  EXPECT_EQ(model.expressions[0].targets[0].mesh, "face");
}

TEST(Vrm, OpensByEitherNameAndMayBeRequired) {
  GltfFile file = test::face();
  groups(file) = json::array({group("joy", "")});
  file.json["extensionsUsed"] = file.json["extensionsRequired"] = {"VRM", "VRMC_vrm", "VRMC_springBone"};
  const test::TemporaryFolder folder;
  for (const char* name : {"hero.vrm", "hero.VRM", "hero.glb"}) {
    const Model model = test::must(import_model(folder.write(name, file.glb()).string()));
    EXPECT_THAT(names_of(model.expressions), ElementsAre("happy")) << name;
  }
}

TEST(Vrm, ThatIsWrongIsRefusedWithItsPlace) {
  GltfFile file = test::face();
  groups(file) = json::array({group("joy", "")});
  vrm0(file)["humanoid"]["humanBones"] = {{{"bone", "hips"}, {"node", 1}}};
  GltfFile newer = test::face();
  const json bind{{"node", 0}, {"index", 0}};
  vrm(newer)["expressions"]["preset"]["sad"]["morphTargetBinds"] = json::array({bind});
  vrm(newer)["humanoid"]["humanBones"]["hips"] = {{"node", 1}};
  const std::string old = "/extensions/VRM/", bones = old + "humanoid/humanBones";
  const std::string happy = old + "blendShapeMaster/blendShapeGroups/0/";
  test::expect_each_refused(file,
                            {{bones + "/0/node", 3, bones + "/0/node: 3, but the number of nodes is 3"},
                             {bones + "/0/bone", 7, bones + "/0/bone: is 7, not a string"},
                             {bones, json::object(), bones + ": is an object, not an array"},
                             {happy + "binds/0/mesh", 1, happy + "binds/0/mesh: 1, but the number of meshes is 1"},
                             {happy + "binds/0/weight", 1e300, happy + "binds/0/weight: 1e+300"},
                             {happy + "isBinary", 1, happy + "isBinary: is 1"}});
  const std::string humanoid = "/extensions/VRMC_vrm/humanoid", hips = humanoid + "/humanBones/hips";
  const std::string preset = "/extensions/VRMC_vrm/expressions/preset", sad = preset + "/sad/morphTargetBinds/0/";
  test::expect_each_refused(newer, {{humanoid, 1, humanoid + ": is 1, not an object"},
                                    {hips, 1, hips + ": is 1, not an object"},
                                    {hips, json::object(), hips + ": 'node' is missing"},
                                    {hips + "/node", 3, hips + "/node: 3, but the number of nodes is 3"},
                                    {hips + "/node", -1, hips + "/node: -1"},
                                    {sad + "node", 3, sad + "node: 3, but the number of nodes is 3"},
                                    {sad + "index", -2, sad + "index: -2"},
                                    {preset, json::array(), preset + ": is an array, not an object"}});
}

}  // namespace
}  // namespace pelt
