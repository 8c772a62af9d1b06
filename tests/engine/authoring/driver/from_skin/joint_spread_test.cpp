// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/from_skin/joint_spread.h"

#include <gtest/gtest.h>

#include <pelt/builtin.h>

namespace pelt::from_skin {
namespace {

float radii_of(const Model& model, const std::string& joint) {
  const std::vector<Transition> transitions = joint_transitions(model, std::nullopt);
  for (std::size_t b = 0; b < transitions.size(); ++b) {
    if (model.skeleton.joints[model.bound_joints[b].joint].name == joint) return transitions[b].radii;
  }
  ADD_FAILURE() << joint;
  return -1;
}

TEST(JointSpread, KeepsHingesNearWhatIsPainted) {
  const Model biped = make_biped();
  EXPECT_EQ(radii_of(biped, "left_upper_arm"), 3);
  EXPECT_EQ(radii_of(biped, "spine"), 3);
  EXPECT_EQ(radii_of(biped, "left_forearm"), 1);
  EXPECT_EQ(radii_of(biped, "right_shin"), 1);
  EXPECT_EQ(radii_of(make_limb(), "joint"), 3);
}

TEST(JointSpread, LeavesHelpersAndScaledJointsAsPainted) {
  Model biped = make_biped();
  biped.skeleton.joints[*biped.skeleton.find("left_upper_arm")].rest.scale = {1, 1.5f, 1};
  biped.skeleton.joints[*biped.skeleton.find("right_upper_arm")].rest.scale = glm::vec3(2);  // evenly
  const std::uint32_t thigh = *biped.skeleton.find("left_thigh");
  biped.clips[0].channels.push_back(
      {.joint = thigh, .path = ChannelPath::kScale, .times = {0, 1}, .values = {1, 1, 1, 1, 1.2f, 1}});
  EXPECT_EQ(radii_of(biped, "left_upper_arm"), 0);
  EXPECT_EQ(radii_of(biped, "right_upper_arm"), 3);
  EXPECT_EQ(radii_of(biped, "left_thigh"), 0);
  biped.skeleton.joints[*biped.skeleton.find("left_forearm")].name = "left_forearm_twist";
  EXPECT_EQ(radii_of(biped, "left_forearm_twist"), 0);
}

TEST(JointSpread, IsTheSameForAllWhereItIsGiven) {
  for (const Transition& transition : joint_transitions(make_biped(), 5.0f)) EXPECT_EQ(transition.radii, 5);
}

}  // namespace
}  // namespace pelt::from_skin
