// SPDX-License-Identifier: MIT
// Tests which joints are a curve together.
#include "engine/authoring/chain/chains.h"

#include <gmock/gmock.h>

#include <map>

#include <pelt/builtin.h>
#include <pelt/import.h>
#include <pelt/tools/joint_roles.h>

#include "tests/engine/authoring/chain/small_chains.h"
#include "tests/support/must.h"
#include "tests/support/shared_files.h"

namespace pelt::chain {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

using test::Node;
using test::skeleton_of;

TEST(Chains, LineIsOneCurveThrough) {
  const Model model = skeleton_of({{"a", -1, {0, 0, 0}}, {"b", 0, {1, 0, 0}}, {"c", 1, {2, 1, 0}}});
  const Chains chains = chains_of(model);
  ASSERT_THAT(names(chains), ElementsAre("a..c"));
  EXPECT_THAT(joints_of(model, chains.chains[0]), ElementsAre("a", "b", "c"));
  EXPECT_EQ(chains.chains[0].top, 0u);
  EXPECT_EQ(chains.chains[0].anchors[2].position, glm::vec3(2, 1, 0));
  EXPECT_EQ(linkage_of(chains, model, "a").linkage, Linkage::kEnd);
  EXPECT_EQ(linkage_of(chains, model, "b").linkage, Linkage::kTwo);
  EXPECT_EQ(linkage_of(chains, model, "c").linkage, Linkage::kEnd);
  EXPECT_THAT(linkage_of(chains, model, "b").curves, ElementsAre(0u));
}

TEST(Chains, BifurcationIsThreeCurves) {
  const Model model = make_y();
  const Chains chains = chains_of(model);
  EXPECT_THAT(names(chains), UnorderedElementsAre("root..left_end", "root..right_end", "left_end..right_end"));
  EXPECT_EQ(linkage_of(chains, model, "hip").linkage, Linkage::kBifurcation);
  EXPECT_THAT(linkage_of(chains, model, "hip").curves, SizeIs(3));
  const Chain& limbs = chain_of(chains, "left_end..right_end");
  EXPECT_THAT(joints_of(model, limbs), ElementsAre("left_end", "left", "hip", "right", "right_end"));
  EXPECT_EQ(limbs.top, 2u);
  EXPECT_EQ(chain_of(chains, "root..left_end").top, 0u);
}

TEST(Chains, CrossIsTwoCurves) {
  const Model model = make_cross();
  const Chains chains = chains_of(model);
  EXPECT_THAT(names(chains), UnorderedElementsAre("trunk..head", "left..right"));
  EXPECT_EQ(linkage_of(chains, model, "chest").linkage, Linkage::kCross);
}

// The clavicles start out along the neck, and the limbs continue the trunk better than the head does.
TEST(Chains, MirroredLimbsOfACrossGoTogether) {
  const Model model = skeleton_of({{"trunk", -1, {0, 0, 0}},
                                   {"chest", 0, {0, 1, 0}},
                                   {"left", 1, {0.2f, 2, 0}},
                                   {"head", 1, {0, 1.5f, 1}},
                                   {"right", 1, {-0.2f, 2, 0}}});
  EXPECT_THAT(names(chains_of(model)), UnorderedElementsAre("trunk..head", "left..right"));
}

// The joint of the chest is below the begin of the collar bones. The curve from arm to arm goes straight above that
// joint, and the joint carries it.
TEST(Chains, HubsStandOnTheStraightWay) {
  const Model model = skeleton_of({{"hips", -1, {0, 0, 0}},
                                   {"chest", 0, {0, 1, 0}},
                                   {"left_clavicle", 1, {0.1f, 1.3f, 0}},
                                   {"neck", 1, {0, 1.4f, 0}},
                                   {"right_clavicle", 1, {-0.1f, 1.3f, 0}},
                                   {"left_arm", 2, {0.5f, 1.3f, 0}},
                                   {"right_arm", 4, {-0.5f, 1.3f, 0}},
                                   {"head", 3, {0, 1.7f, 0}}});
  const Chains chains = chains_of(model);
  const Chain& arms = chain_of(chains, "left_arm..right_arm");
  const auto hub = std::ranges::find(arms.anchors, true, &Anchor::is_branch);
  ASSERT_NE(hub, arms.anchors.end());
  EXPECT_EQ(model.skeleton.joints[hub->joint].name, "chest");
  EXPECT_LT(glm::distance(hub->position, glm::vec3(0, 1.3f, 0)), 1e-6f);
  EXPECT_EQ(chain_of(chains, "hips..head").anchors[1].position, glm::vec3(0, 1, 0)) << "it is straight already";
}

TEST(Chains, FingersAreNotPairedThroughThePalm) {
  std::vector<Node> joints{{"forearm_l", -1, {0, 0, 0}}, {"hand_l", 0, {1, 0, 0}}};
  const char* fingers[] = {"thumb_l", "index_l", "middle_l", "ring_l", "pinky_l"};
  for (int f = 0; f < 5; ++f) {
    const auto side = static_cast<float>(f - 2) * 0.1f;
    joints.push_back({fingers[f], 1, {f == 0 ? 1.05f : 1.3f, f == 0 ? 0.25f : 0.0f, side}});
  }
  const Chains chains = chains_of(skeleton_of(joints));
  for (const Chain& chain : chains.chains) {
    const auto ends = std::ranges::count_if(
        std::span(fingers), [&](std::string_view finger) { return chain.name.find(finger) != std::string::npos; });
    EXPECT_LE(ends, 1) << chain.name;
  }
}

// A single hand, with the palm as topmost joint.
TEST(Chains, FingersOfATopmostPalmAreNotPaired) {
  const Chains chains = chains_of(skeleton_of({{"palm", -1, {0, 0, 0}},
                                               {"a", 0, {0, 1, 0}},
                                               {"b", 0, {0.1f, 1, 0}},
                                               {"c", 0, {0.25f, 0.95f, 0}},
                                               {"thumb", 0, {-0.3f, 0.2f, 0.1f}}}));
  EXPECT_THAT(names(chains), UnorderedElementsAre("palm..a", "palm..b", "palm..c", "palm..thumb"));
}

TEST(Chains, LimbsThatBeginSideBySideAreNotOne) {
  const Chains chains = chains_of(skeleton_of(
      {{"elbow", -1, {0, 0, 0}}, {"palm", 0, {0, 1, 0}}, {"finger", 1, {0, 1.5f, 0}}, {"thumb", 0, {0.3f, 0.9f, 0}}}));
  EXPECT_THAT(names(chains), UnorderedElementsAre("elbow..finger", "elbow..thumb"));
  EXPECT_THAT(chains.notes, Contains(HasSubstr("Two limbs begin side by side at joint 'elbow'")));
}

TEST(Chains, LimbsThatGoOnFromTheTopmostJointAreOne) {
  const Chains chains = chains_of(
      skeleton_of({{"left_elbow", -1, {0, 0, 0}}, {"left_shoulder", 0, {-1, 0, 0}}, {"left_wrist", 0, {1, 0.1f, 0}}}));
  EXPECT_THAT(names(chains), ElementsAre("left_shoulder..left_wrist"));
}

TEST(Chains, ForksThatAreAlikeAreOneCurve) {
  const auto fork = [](float longer) {
    return names(chains_of(skeleton_of({{"hips", -1, {0, 0, 0}},
                                        {"chest", 0, {0, 1, 0}},
                                        {"one", 0, {0.6f, -0.6f, 0}},
                                        {"one_end", 2, {0.7f, -1.6f, 0}},
                                        {"other", 0, {-0.6f, -0.6f, 0}},
                                        {"other_end", 4, {-0.7f, -1.6f * longer, 0}}})));
  };
  EXPECT_THAT(fork(1), Contains("one_end..other_end"));
  EXPECT_THAT(fork(1.3f), Not(Contains("one_end..other_end")));
}

// A typical first file: two coincident joints in the middle of a strip, each painted for its half.
TEST(Chains, TopmostJointsAtOnePlaceEachCarryTheirSide) {
  Model model = skeleton_of({{"lower", -1, {0, 1, 0}}, {"upper", 0, {0, 1, 0}}});
  add_skin(model, 0, {0, 1, 0}, {{0.3f, 0, 0}, {-0.3f, 0, 0}, {0.3f, 0.4f, 0}, {-0.3f, 0.4f, 0}});
  add_skin(model, 1, {0, 1, 0}, {{0.3f, 2, 0}, {-0.3f, 2, 0}, {0.3f, 1.6f, 0}, {-0.3f, 1.6f, 0}});
  const Chains chains = chains_of(model);
  ASSERT_EQ(chains.chains.size(), 1u);
  const std::vector<Anchor>& anchors = chains.chains[0].anchors;
  ASSERT_EQ(anchors.size(), 3u);
  EXPECT_EQ(anchors[0].joint, 0u);
  EXPECT_NEAR(anchors[0].position.y, 0, 1e-5);
  EXPECT_EQ(anchors[1].joint, 1u);
  EXPECT_EQ(anchors[1].position, glm::vec3(0, 1, 0));
  EXPECT_NEAR(anchors[2].position.y, 2, 1e-5);
  EXPECT_EQ(chains.chains[0].top, 0u);
}

TEST(Chains, StarsArePairedByStraightness) {
  const Model six = make_star(6);
  const Chains of_six = chains_of(six);
  EXPECT_THAT(names(of_six), UnorderedElementsAre("arm0..arm3", "arm1..arm4", "arm2..arm5"));
  EXPECT_EQ(linkage_of(of_six, six, "middle").linkage, Linkage::kMore);
  EXPECT_THAT(of_six.notes, Contains(HasSubstr("'middle' has 6 links")));

  const Model five = make_star(5);
  const Chains of_five = chains_of(five);
  EXPECT_THAT(of_five.chains, SizeIs(3));  // the odd one goes with a partner that is taken
  for (const JointLinkage& joint : of_five.joints) EXPECT_THAT(joint.curves, Not(IsEmpty()));
}

TEST(Chains, StarWithoutBoundStillHasEveryBone) {
  for (const int arms : {64, 65, 300}) {
    const Model model = make_star(arms);
    const Chains chains = chains_of(model);
    EXPECT_LE(chains.chains.size(), static_cast<std::size_t>(arms));
    for (const JointLinkage& joint : chains.joints) EXPECT_THAT(joint.curves, Not(IsEmpty()));
  }
}

TEST(Chains, CombStaysLinear) {
  for (const int teeth : {2, 30, 300}) {
    const Model model = make_comb(teeth);
    const Chains chains = chains_of(model);
    EXPECT_LE(chains.chains.size(), 2 * static_cast<std::size_t>(teeth) + 1);
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> uses;
    for (const Chain& chain : chains.chains) {
      for (std::size_t a = 1; a < chain.anchors.size(); ++a) {
        ++uses[std::minmax({chain.anchors[a - 1].joint, chain.anchors[a].joint})];
      }
    }
    EXPECT_EQ(uses.size(), model.skeleton.joints.size() - 1);  // every bone
    for (const auto& [bone, count] : uses) EXPECT_LE(count, 4);
  }
}

TEST(Chains, JointsAtOnePlaceAreOneAnchorOfTheLower) {
  const Model model = skeleton_of({{"arm", -1, {0, 0, 0}},
                                   {"elbow", 0, {1, 0, 0}},
                                   {"elbow_twist", 1, {1, 0, 0}},
                                   {"hand", 2, {2, 0, 0}},
                                   {"hand_twist", 3, {2, 0, 0}}});
  const Chains chains = chains_of(model);
  ASSERT_THAT(chains.chains, SizeIs(1));
  EXPECT_THAT(joints_of(model, chains.chains[0]), ElementsAre("arm", "elbow_twist", "hand_twist"));
  EXPECT_THAT(chains.joints, SizeIs(5));
  EXPECT_THAT(linkage_of(chains, model, "elbow").curves, ElementsAre(0u));
}

TEST(Chains, BonesOfOnePlaceAreTurnedByTheirOwnJoints) {
  const Model model = skeleton_of({{"pelvis", -1, {0, 0, 0}},
                                   {"spine_base", 0, {0, 0, 0}},
                                   {"head", 1, {0, 2, 0}},
                                   {"leg_base", 0, {0, 0, 0}},
                                   {"left", 3, {1, -1, 0}},
                                   {"right", 3, {-1, -1, 0}}});
  const Chains chains = chains_of(model);
  EXPECT_THAT(joints_of(model, chain_of(chains, "left..right")), ElementsAre("left", "leg_base", "right"));
  EXPECT_THAT(joints_of(model, chain_of(chains, "head..left")), ElementsAre("head", "pelvis", "left"));
}

TEST(Chains, TwistHelpersArePartOfTheirBone) {
  const Model model = skeleton_of({{"shoulder", -1, {0, 0, 0}},
                                   {"elbow", 0, {1, 0, 0}},
                                   {"twist_b", 1, {1.7f, 0.01f, 0}},
                                   {"hand", 1, {2, 0, 0}},
                                   {"finger", 3, {2.5f, 0, 0}},
                                   {"twist_a", 1, {1.3f, 0, 0}},
                                   {"twist_end", 1, {1.995f, 0, 0}},
                                   {"biceps", 1, {1.5f, 0.5f, 0}}});
  const Chains chains = chains_of(model);
  const Chain& arm = chain_of(chains, "shoulder..finger");
  EXPECT_THAT(joints_of(model, arm), ElementsAre("shoulder", "elbow", "twist_a", "twist_b", "hand", "finger"));
  EXPECT_NEAR(arm.anchors[3].position.y, 0, 1e-6f);
  EXPECT_EQ(linkage_of(chains, model, "elbow").linkage, Linkage::kBifurcation);  // the biceps is off the bone
  EXPECT_EQ(linkage_of(chains, model, "twist_end").curves, linkage_of(chains, model, "hand").curves);
}

TEST(Chains, VeryShortBonesBreakNothing) {
  const Model model = skeleton_of({{"a", -1, {0, 0, 0}},
                                   {"b", 0, {1, 0, 0}},
                                   {"c", 1, {1.0005f, 0.0003f, 0}},
                                   {"d", 2, {2, 0, 0}},
                                   {"e", 2, {1.2f, 1, 0}}});
  const Chains chains = chains_of(model);
  EXPECT_THAT(chains.chains, SizeIs(3));
}

TEST(Chains, OnlyJointsOfTheSkinCount) {
  Model model = skeleton_of({{"scene", -1, {0, 0, 0}},
                             {"pelvis", 0, {0, 5, 0}},
                             {"between", 1, {0, 6, 0}},
                             {"head", 2, {0, 7, 0}},
                             {"sword", 3, {3, 7, 0}},
                             {"foot_target", 0, {0, 0, 3}}});
  add_skin(model, 1, {0, 5, 0}, {{0, 5.5f, 0}});
  add_skin(model, 3, {0, 7, 0}, {{0.1f, 7.5f, 0}, {-0.1f, 7.5f, 0}, {0, 7, 0}, {0, 8, 0}});
  const Chains chains = chains_of(model);
  ASSERT_THAT(names(chains), ElementsAre("pelvis..head"));
  EXPECT_THAT(joints_of(model, chains.chains[0]), ElementsAre("pelvis", "between", "head", "head"));
  EXPECT_EQ(chains.chains[0].anchors[3].position, glm::vec3(0, 8, 0));
  EXPECT_THAT(chains.joints, SizeIs(3));
}

TEST(Chains, PlacesAreThoseOfTheBind) {
  Model model = skeleton_of({{"a", -1, {0, 0, 0}}, {"b", 0, {1, 0, 0}}, {"c", 1, {2, 0, 0}}});
  add_skin(model, 0, {5, 0, 0}, {{5, 0, 0}});
  add_skin(model, 1, {5, 3, 0}, {{5, 3, 0}});
  model.skeleton.joints[1].rest.rotation = glm::angleAxis(1.0f, glm::vec3(0, 0, 1));
  const std::vector<glm::dmat4> bind = matrices_at_bind(model, std::vector<std::uint32_t>{0});
  EXPECT_EQ(glm::vec3(bind[0][3]), glm::vec3(5, 0, 0));
  EXPECT_EQ(glm::vec3(bind[1][3]), glm::vec3(5, 3, 0));
  EXPECT_EQ(glm::vec3(bind[2][3]), glm::vec3(6, 3, 0));  // no skin names it: it hangs on b as in the rest pose
}

// Exporters may give all joints that no weights use one matrix.
TEST(Chains, SharedMatricesOfUnusedJointsSayNothing) {
  Model model = skeleton_of({{"control", -1, {0, 0, 0}}, {"a", 0, {0, 1, 0}}, {"other", 0, {3, 0, 0}}});
  add_skin(model, 1, {7, 1, 0}, {{7, 1, 0}});
  model.bound_joints.push_back({0, glm::mat4(1.0f)});
  model.bound_joints.push_back({2, glm::mat4(1.0f)});
  const std::vector<glm::dmat4> bind = matrices_at_bind(model, std::vector<std::uint32_t>{0});
  EXPECT_EQ(glm::vec3(bind[2][3]), glm::vec3(10, 0, 0));
}

TEST(Chains, BuiltInCharacters) {
  const Model biped = make_biped();
  EXPECT_THAT(
      names(chains_of(biped)),
      UnorderedElementsAre("head..left_toes", "head..right_toes", "left_toes..right_toes",
                           "left_middle_3..right_middle_3", "left_hand..left_thumb_3", "left_hand..left_index_3",
                           "left_hand..left_ring_3", "left_hand..left_pinky_3", "right_hand..right_thumb_3",
                           "right_hand..right_index_3", "right_hand..right_ring_3", "right_hand..right_pinky_3"));
  EXPECT_THAT(names(chains_of(make_tail())), ElementsAre("tail_0..tail_7"));
}

TEST(Chains, SharedCharactersHaveACurveForEveryJoint) {
  PELT_REQUIRE_SHARED();
  for (const auto& file : test::character_files()) {
    SCOPED_TRACE(file.filename().string());
    const Model model = test::must(import_gltf(file));
    const Chains chains = chains_of(model);
    std::vector<bool> weighted(model.skeleton.joints.size());
    for (const Mesh& mesh : model.meshes) {
      for (const Influence& influence : mesh.weights.influences) {
        if (influence.weight > 0) weighted[model.bound_joints[influence.index].joint] = true;
      }
    }
    const std::vector<bool> is_patch = patch_joints(model.skeleton);
    for (std::size_t j = 0; j < weighted.size(); ++j) weighted[j] = weighted[j] && !is_patch[j];
    for (const JointLinkage& joint : chains.joints) {
      EXPECT_FALSE(is_patch[joint.joint]) << model.skeleton.joints[joint.joint].name;
      if (weighted[joint.joint]) {
        EXPECT_THAT(joint.curves, Not(IsEmpty())) << model.skeleton.joints[joint.joint].name;
      }
      weighted[joint.joint] = false;
    }
    EXPECT_EQ(std::ranges::count(weighted, true), 0);
    std::size_t anchors = 0;
    for (const Chain& chain : chains.chains) anchors += chain.anchors.size();
    EXPECT_LE(anchors, 6 * chains.joints.size());
  }
}

}  // namespace
}  // namespace pelt::chain
