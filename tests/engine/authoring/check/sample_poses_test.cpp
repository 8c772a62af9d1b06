// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <glm/gtc/matrix_transform.hpp>
#include <map>
#include <set>
#include <string>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/pose.h>
#include <pelt/tools/sample_poses.h>

#include "engine/authoring/model/builtin/model_builder.h"
#include "tests/support/skeleton.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::vector<CheckPose> poses_of(const Model& model) {
  const Result<Bound> bound = bind(model, *rig_from_deformer_name("linear_blend"));
  EXPECT_TRUE(bound) << bound.error().message;
  return sample_poses(bound->character);
}

const Model& biped_model() {
  static const Model biped = make_biped();
  return biped;
}

// Makes a model in which each joint except those in `bare` moves a triangle of its own, which lies round it.
Model model_of(const std::vector<test::Node>& nodes, const std::set<std::string>& bare = {}) {
  Model model = test::skeleton_of(nodes);
  model.bound_joints.clear();
  bind_all_joints(model);
  Mesh& mesh = model.meshes.emplace_back(Mesh{.name = "skin"});
  for (std::uint32_t j = 0; j < nodes.size(); ++j) {
    if (bare.contains(nodes[j].name)) continue;
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (const glm::vec3& offset : {glm::vec3(0.1f, 0, -0.1f), glm::vec3(-0.1f, 0, -0.1f), glm::vec3(0, 0, 0.2f)}) {
      mesh.positions.push_back(nodes[j].position + offset);
      const Influence whole{j, 1};
      mesh.weights.append_row(std::span(&whole, 1));
    }
    mesh.triangles.emplace_back(first, first + 1, first + 2);
  }
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  mesh.parts = {{.first_triangle = 0, .triangle_count = static_cast<std::uint32_t>(mesh.triangles.size())}};
  return model;
}

std::vector<std::string> names_of(const std::vector<CheckPose>& poses) {
  std::vector<std::string> names;
  for (const CheckPose& pose : poses) names.push_back(pose.name);
  return names;
}

// Returns the poses of one joint, without its name.
std::vector<std::string> turns_of(const Model& model, const std::string& joint) {
  std::vector<std::string> turns;
  for (const CheckPose& pose : poses_of(model)) {
    if (model.skeleton.joints[pose.turns[0].joint].name == joint) turns.push_back(pose.name.substr(joint.size() + 1));
  }
  return turns;
}

// Returns the position of a point of the rest pose in the pose of that name.
glm::dvec3 moved(const Model& model, const std::string& pose_name, const glm::dvec3& point) {
  const std::vector<CheckPose> poses = poses_of(model);
  const auto pose =
      std::find_if(poses.begin(), poses.end(), [&](const CheckPose& other) { return other.name == pose_name; });
  if (pose == poses.end()) {
    ADD_FAILURE() << "no pose " << pose_name;
    return glm::dvec3(0);
  }
  const glm::dvec3 pivot(test::bind_matrices(model)[pose->turns[0].joint][3]);
  const glm::dmat4 turn = glm::rotate(glm::dmat4(1), glm::radians(pose->turns[0].degrees), pose->turns[0].axis);
  return pivot + glm::dvec3(turn * glm::dvec4(point - pivot, 0));
}

glm::dvec3 location_of(const Model& model, const std::string& joint) {
  return glm::dvec3(test::bind_matrices(model)[model.skeleton.find(joint).value()][3]);
}

double angle(const glm::dvec3& a, const glm::dvec3& b) {
  return glm::degrees(std::acos(glm::dot(glm::normalize(a), glm::normalize(b))));
}

TEST(SamplePoses, TurnEveryJointThatMovesAPartOfTheSkin) {
  const Model& biped = biped_model();
  std::map<std::uint32_t, int> count;
  for (const CheckPose& pose : poses_of(biped)) {
    EXPECT_FALSE(pose.clip);
    ASSERT_EQ(pose.turns.size(), 1u) << pose.name;
    EXPECT_NEAR(glm::length(pose.turns[0].axis), 1, 1e-9) << pose.name;
    EXPECT_GE(std::abs(pose.turns[0].degrees), 10) << pose.name;
    ++count[pose.turns[0].joint];
  }
  for (std::uint32_t j = 0; j < biped.skeleton.joints.size(); ++j) {
    const std::string& name = biped.skeleton.joints[j].name;
    // The root has no skin, and the hips carry all of it.
    EXPECT_EQ(count[j] > 0, name != "root" && name != "hips") << name;
    EXPECT_LE(count[j], 7) << name;
  }
  const std::vector<CheckPose> poses = poses_of(biped);
  const std::vector<std::string> names = names_of(poses);
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
}

TEST(SamplePoses, BendElbowsToTheFrontAndKneesToTheBack) {
  const Model& biped = biped_model();
  EXPECT_THAT(turns_of(biped, "left_forearm"), ElementsAre("bent 90", "bent 135"));
  EXPECT_THAT(turns_of(biped, "right_shin"), ElementsAre("bent 90", "bent 135"));
  for (const std::string side : {"left", "right"}) {
    const glm::dvec3 shoulder = location_of(biped, side + "_upper_arm"), elbow = location_of(biped, side + "_forearm"),
                     hand = location_of(biped, side + "_hand"), hip = location_of(biped, side + "_thigh"),
                     knee = location_of(biped, side + "_shin"), foot = location_of(biped, side + "_foot");
    for (const int degrees : {90, 135}) {
      const std::string bent = " bent " + std::to_string(degrees);
      const glm::dvec3 hand_there = moved(biped, side + "_forearm" + bent, hand);
      EXPECT_GT(hand_there.z, elbow.z + 0.1) << side << bent;
      EXPECT_NEAR(angle(elbow - shoulder, hand_there - elbow), degrees, 1e-3) << side << bent;
      const glm::dvec3 foot_there = moved(biped, side + "_shin" + bent, foot);
      EXPECT_LT(foot_there.z, knee.z - 0.1) << side << bent;
      EXPECT_NEAR(angle(knee - hip, foot_there - knee), degrees, 0.5) << side << bent;
    }
  }
}

TEST(SamplePoses, RaiseAnArmOverTheHead) {
  const Model& biped = biped_model();
  const glm::dvec3 elbow = location_of(biped, "left_forearm"), shoulder = location_of(biped, "left_upper_arm");
  EXPECT_THAT(turns_of(biped, "left_upper_arm"),
              ElementsAre("front 90", "back 45", "up 135", "down 45", "out 45", "in 30", "twisted 60"));
  EXPECT_NEAR(angle(moved(biped, "left_upper_arm up 135", elbow) - shoulder, {0, 1, 0}), 0, 1e-3);
  EXPECT_GT(moved(biped, "left_upper_arm front 90", elbow).z, shoulder.z + 0.2);
  EXPECT_GT(moved(biped, "left_upper_arm out 45", elbow).x, elbow.x + 0.02);
  EXPECT_LT(moved(biped, "right_upper_arm out 45", location_of(biped, "right_forearm")).x,
            location_of(biped, "right_forearm").x - 0.02);
}

// The chest's bone ends at the neck, although the arm has more joints; the foot's ends at the centre of its skin.
TEST(SamplePoses, FindWhereABoneEnds) {
  const Model chest = model_of({{"spine", -1, {0, 0, 0}},
                                {"chest", 0, {0, 1, 0}},
                                {"neck", 1, {0, 2, 0}},
                                {"upperarm.L", 1, {1, 1, 0}},
                                {"forearm.L", 3, {2, 1, 0}}});
  EXPECT_THAT(turns_of(chest, "chest"), ElementsAre("front 30", "back 20", "left 20", "right 20", "twisted 20"));
  EXPECT_THAT(turns_of(biped_model(), "left_foot"), Contains("up 30"));
}

// Makes thigh, shin and foot, bent at the knee by so many degrees in the rest pose; positive: the foot is at the back.
Model leg(double bent, const std::string& shin = "shin.L", const std::string& foot = "foot.L") {
  const double radians = glm::radians(bent);
  const glm::vec3 below(0, -std::cos(radians), -std::sin(radians));
  return model_of({{"hips", -1, {0, 2, 0}},
                   {"thigh.L", 0, {0.2f, 2, 0}},
                   {shin, 1, {0.2f, 1, 0}},
                   {foot, 2, glm::vec3(0.2f, 1, 0) + below},
                   {"toe.L", 3, glm::vec3(0.2f, 1, 0.3f) + below},
                   {"spine", 0, {0, 3, 0}}});
}

TEST(SamplePoses, BendAHingeByWhatItLacks) {
  for (const double bent : {0.0, 12.0, 60.0, 100.0, 150.0}) {
    const Model model = leg(bent);
    const glm::dvec3 foot = moved(model, "shin.L bent 135", location_of(model, "foot.L"));
    EXPECT_NEAR(foot.y, 1 - std::cos(glm::radians(135.0)), 1e-5) << bent;
    EXPECT_NEAR(foot.z, -std::sin(glm::radians(135.0)), 1e-5) << bent;
  }
  // A turn of ten degrees shows nothing.
  EXPECT_THAT(turns_of(leg(85), "shin.L"), ElementsAre("bent 135"));
}

// A slightly overstretched knee is still a knee; one that is clearly bent bends as it looks, like a bird's.
TEST(SamplePoses, BelieveNamesBeforeSmallBends) {
  const auto behind = [](const Model& model) { return moved(model, "shin.L bent 90", location_of(model, "foot.L")).z; };
  EXPECT_NEAR(behind(leg(-8)), -1, 1e-5);
  EXPECT_NEAR(behind(leg(-40)), 1, 1e-5);
}

// Toes point to the front, if there are feet.
TEST(SamplePoses, FindTheFront) {
  Model model = leg(0);
  const std::uint32_t toe = model.skeleton.find("toe.L").value();
  EXPECT_LT(moved(model, "shin.L bent 90", location_of(model, "foot.L")).z, -0.9);
  model.skeleton.joints[toe].rest.translation *= -1.0f;
  EXPECT_GT(moved(model, "shin.L bent 90", location_of(model, "foot.L")).z, 0.9);
}

// Nothing shows how a straight chain without names bends: it swings to both sides, about both axes.
TEST(SamplePoses, SwingWhatHasNoKind) {
  const Model straight = model_of({{"a", -1, {0, 0, 0}}, {"b", 0, {1, 0, 0}}, {"c", 1, {2, 0, 0}}});
  EXPECT_THAT(turns_of(straight, "b"), ElementsAre("front 45", "back 45", "up 45", "down 45", "twisted 45"));
  // The axis of a straight finger's hinge is unknown.
  const Model finger = model_of(
      {{"hand.L", -1, {0, 0, 0}}, {"index.01.L", 0, {1, 0, 0}}, {"index.02.L", 1, {2, 0, 0}}, {"e", 2, {3, 0, 0}}});
  EXPECT_EQ(turns_of(finger, "index.01.L").size(), 5u);
  EXPECT_EQ(turns_of(finger, "index.02.L").size(), 5u);
}

TEST(SamplePoses, BendALongTailALittleAtEachJoint) {
  std::vector<test::Node> nodes;
  for (int i = 0; i < 9; ++i) nodes.push_back({"t" + std::to_string(i), i - 1, {i, 0, 0}});
  const std::vector<std::string> turns{"front 20", "back 20", "up 20", "down 20", "twisted 20"};
  EXPECT_EQ(turns_of(model_of(nodes), "t4"), turns);
  // A branch ends the row.
  nodes.push_back({"leg", 4, {4, -1, 0}});
  EXPECT_THAT(turns_of(model_of(nodes), "t8"), Contains("up 45"));
}

// A fist is opened, and a thumb that leaves the hand backwards does not turn by half a turn.
TEST(SamplePoses, BendFingersByWhatFingersDo) {
  const auto finger = [](const glm::vec3& tip) {
    return model_of({{"hand.L", -1, {0, 0, 0}},
                     {"thumb.01.L", 0, {1, 0, 0}},
                     {"thumb.02.L", 1, {1, 1, 0}},
                     {"thumb.03.L", 2, tip}});
  };
  EXPECT_THAT(turns_of(finger({0, 1, 0}), "thumb.02.L"), ElementsAre("bent 0"));
  EXPECT_NEAR(glm::length(moved(finger({0, 1, 0}), "thumb.02.L bent 0", {0, 1, 0}) - glm::dvec3(1, 2, 0)), 0, 1e-6);
  const std::vector<CheckPose> poses = poses_of(finger({1.5f, 1.5f, 0}));
  EXPECT_EQ(poses[0].name, "thumb.01.L bent 90");
  EXPECT_NEAR(poses[0].turns[0].degrees, 90, 1e-6);
}

// The end of a finger, whose bone ends at the centre of its skin, may look slightly bent the other way.
TEST(SamplePoses, BendTheEndOfAFingerAsTheRest) {
  const Model finger = model_of({{"hand.L", -1, {0, 0, 0}},
                                 {"ring.01.L", 0, {1, 0, 0}},
                                 {"ring.02.L", 1, {2, 0, 0}},
                                 {"ring.03.L", 2, {3, -0.2f, 0}},
                                 {"end", 3, {4, -0.2f, 0}}});
  EXPECT_LT(moved(finger, "ring.03.L bent 90", location_of(finger, "end")).y, -1);
}

// Bones of the hand spread to the sides; fingers bend about the axis of their second joint.
TEST(SamplePoses, BendFingersAtTheFirstJointAsAtTheSecond) {
  const Model hand = model_of({{"hand.L", -1, {0, 0, 0}},
                               {"index.01.L", 0, {1, 0, 0.3f}},
                               {"index.02.L", 1, {2, 0, 0.3f}},
                               {"index.03.L", 2, {2.9f, -0.3f, 0.3f}}});
  EXPECT_THAT(turns_of(hand, "index.01.L"), ElementsAre("bent 90"));
  EXPECT_THAT(turns_of(hand, "index.02.L"), ElementsAre("bent 90"));
  EXPECT_LT(moved(hand, "index.01.L bent 90", location_of(hand, "index.02.L")).y, -0.9);
  EXPECT_LT(moved(hand, "index.02.L bent 90", location_of(hand, "index.03.L")).y, -0.9);
}

TEST(SamplePoses, LeaveOutJointsWithoutSkinOfTheirOwn) {
  const std::vector<test::Node> nodes{
      {"a", -1, {0, 0, 0}}, {"b", 0, {1, 0, 0}}, {"helper", 1, {1.5f, 0, 0}}, {"c", 2, {2, 0, 0}}};
  const auto turned = [](const std::vector<CheckPose>& poses) {
    std::set<std::uint32_t> joints;
    for (const CheckPose& pose : poses) joints.insert(pose.turns[0].joint);
    return joints;
  };
  EXPECT_THAT(turned(poses_of(model_of(nodes))), ElementsAre(1, 2, 3));
  EXPECT_THAT(turned(poses_of(model_of(nodes, {"helper"}))), ElementsAre(1, 3));
  // Now b carries the whole skin.
  EXPECT_THAT(turned(poses_of(model_of(nodes, {"a", "helper"}))), ElementsAre(3));
  EXPECT_THAT(poses_of(model_of(nodes, {"a", "b", "helper"})), IsEmpty());
}

TEST(SamplePoses, TearOffNoFootThatHangsAtTheRoot) {
  for (const std::int32_t above_foot : {3, 0}) {
    Model model = model_of({{"root", -1, {0, 0, 0}},
                            {"hips", 0, {0, 1, 0}},
                            {"thigh.L", 1, {0.1f, 0.9f, 0}},
                            {"shin.L", 2, {0.1f, 0.5f, 0.02f}},
                            {"foot.L", above_foot, {0.1f, 0.1f, 0}},
                            {"head", 1, {0, 1.5f, 0}}},
                           {"root"});
    // Each part shares skin with the one above it in the leg, or the hips.
    model.meshes[0].weights = {};
    for (const std::uint32_t j : {1u, 2u, 3u, 4u, 5u}) {
      const Influence whole{j, 1}, shared[] = {{j == 5 ? 1 : std::max(1u, j - 1), 0.5f}, {j, 0.5f}};
      for (int i = 0; i < 2; ++i) model.meshes[0].weights.append_row(std::span(&whole, 1));
      model.meshes[0].weights.append_row(j == 1 ? std::span(&whole, 1) : std::span(shared));
    }
    for (const std::string joint : {"thigh.L", "shin.L"}) EXPECT_EQ(turns_of(model, joint).empty(), above_foot == 0);
    for (const std::string joint : {"foot.L", "head"}) EXPECT_THAT(turns_of(model, joint), Not(IsEmpty()));
  }
}

TEST(SamplePoses, TwistHelpersOnlyTwist) {
  const Model arm = model_of({{"clavicle_l", -1, {0, 0, 0}},
                              {"upperarm_l", 0, {1, 0, 0}},
                              {"upperarm_twist_01_l", 1, {2, 0, 0}},
                              {"lowerarm_l", 1, {3, 0, 0}},
                              {"hand_l", 3, {5, 0, 0}}});
  EXPECT_THAT(turns_of(arm, "upperarm_twist_01_l"), ElementsAre("twisted 60"));
}

// The trunk lies: an animal's legs swing less far.
TEST(SamplePoses, SwingLegsOfAnimalsHalfAsFar) {
  const auto body = [](const glm::vec3& head) {
    return model_of({{"hips", -1, {0, 2, 0}},
                     {"thigh.L", 0, {0.2f, 2, 0}},
                     {"shin.L", 1, {0.2f, 1, 0}},
                     {"neck", 0, 0.8f * head + glm::vec3(0, 2, 0)},
                     {"head", 3, head + glm::vec3(0, 2, 0)}});
  };
  EXPECT_THAT(turns_of(body({0, 1, 0}), "thigh.L"), Contains("front 115"));
  EXPECT_THAT(turns_of(body({0, 0.4f, 1}), "thigh.L"), Contains("front 58"));
  // An animal's head is at its front.
  const Model aside = body({-1, 0.4f, 0});
  EXPECT_LT(moved(aside, "thigh.L front 58", location_of(aside, "shin.L")).x, -0.4);
}

// Returns the combined poses of a model: the names of their turns.
std::vector<std::set<std::string>> combined(const Model& model, std::size_t most = 100) {
  const Result<Bound> bound = bind(model, *rig_from_deformer_name("linear_blend"));
  EXPECT_TRUE(bound) << bound.error().message;
  std::vector<std::set<std::string>> poses;
  for (const CheckPose& pose : combined_poses(bound->character, most)) {
    EXPECT_FALSE(pose.clip);
    std::set<std::uint32_t> joints;
    for (const TurnFromRest& turn : pose.turns) {
      EXPECT_TRUE(joints.insert(turn.joint).second) << turn.name;
    }
    std::set<std::string>& names = poses.emplace_back();
    for (const TurnFromRest& turn : pose.turns) names.insert(turn.name);
  }
  return poses;
}

TEST(CombinedPoses, HaveAllTurnsInFewPoses) {
  const std::vector<std::set<std::string>> poses = combined(biped_model());
  const std::vector<std::string> turns = names_of(poses_of(biped_model()));
  for (const std::string& turn : turns) EXPECT_THAT(poses, Contains(Contains(turn)));
  EXPECT_LT(poses.size(), turns.size() / 5);
  EXPECT_EQ(combined(biped_model(), 5).size(), 5u);
  EXPECT_THAT(poses, Contains(testing::IsSupersetOf({"left_thigh front 115", "left_shin bent 135"})));
  EXPECT_THAT(poses, Contains(testing::IsSupersetOf({"left_upper_arm up 135", "left_forearm bent 135"})));
}

// Joints that share no vertex turn in one pose; if parts of a vertex hang on two, each is turned by itself, and both
// to the same side.
TEST(CombinedPoses, TurnJointsApartThatMoveTheSameSkin) {
  Model tail = model_of({{"a", -1, {0, 0, 0}}, {"b", 0, {1, 0, 0}}, {"c", 1, {2, 0, 0}}, {"d", 2, {3, 0, 0}}});
  for (const std::set<std::string>& pose : combined(tail)) EXPECT_EQ(pose.size(), 3u);
  SparseRows weights;  // of which one vertex hangs on a, b and c
  const Influence shared[] = {{0, 0.4f}, {1, 0.3f}, {2, 0.3f}};
  weights.append_row(shared);
  for (std::size_t v = 1; v < tail.meshes[0].positions.size(); ++v) weights.append_row(tail.meshes[0].weights.row(v));
  tail.meshes[0].weights = weights;
  std::set<std::set<std::string>> of_b_and_c;
  for (std::set<std::string> pose : combined(tail)) {
    std::erase_if(pose, [](const std::string& turn) { return turn[0] == 'd'; });
    of_b_and_c.insert(pose);
  }
  EXPECT_THAT(of_b_and_c, Contains(std::set<std::string>{"b up 45"}));
  EXPECT_THAT(of_b_and_c, Contains(std::set<std::string>{"c down 45"}));
  std::erase_if(of_b_and_c, [](const std::set<std::string>& pose) { return pose.size() < 2; });
  EXPECT_THAT(of_b_and_c, ElementsAre(std::set<std::string>{"b back 45", "c back 45"},
                                      std::set<std::string>{"b front 45", "c front 45"}));
}

TEST(CombinedPoses, CloseFists) {
  EXPECT_THAT(combined(biped_model()),
              Contains(testing::IsSupersetOf(
                  {"left_index_1 bent 90", "left_index_2 bent 90", "left_thumb_2 bent 90", "left_pinky_1 bent 90"})));
}

}  // namespace
}  // namespace pelt
