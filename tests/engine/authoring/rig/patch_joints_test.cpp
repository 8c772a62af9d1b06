// SPDX-License-Identifier: MIT
#include <cmath>

#include <pelt/tools/joint_roles.h>

namespace pelt {
namespace {

// Returns the names of the joints that move patches.
std::vector<std::string> patches(const Skeleton& skeleton) {
  const std::vector<bool> is_patch = patch_joints(skeleton);
  EXPECT_EQ(is_patch.size(), skeleton.joints.size());
  std::vector<std::string> names;
  for (std::size_t j = 0; j < is_patch.size(); ++j) {
    if (is_patch[j]) names.push_back(skeleton.joints[j].name);
  }
  return names;
}

std::int32_t add(Skeleton& skeleton, const std::string& name, std::int32_t parent) {
  skeleton.joints.push_back({.name = name, .parent = parent});
  return static_cast<std::int32_t>(skeleton.joints.size()) - 1;
}

void add_many(Skeleton& skeleton, const std::string& name, std::int32_t parent, int count) {
  for (int i = 0; i < count; ++i) add(skeleton, name + std::to_string(i), parent);
}

TEST(PatchJoints, AreNoneWhereThereAreNoJoints) { EXPECT_TRUE(patches({}).empty()); }

TEST(PatchJoints, AreNotTheFingersOfAHand) {
  Skeleton hand;
  add_many(hand, "finger", add(hand, "palm", -1), 7);
  EXPECT_TRUE(patches(hand).empty());
}

TEST(PatchJoints, AreThoseOfAFace) {
  Skeleton body;
  const std::int32_t head = add(body, "head", add(body, "neck", -1));
  add_many(body, "cheek", head, 8);
  const std::int32_t jaw = add(body, "jaw", head);
  add_many(body, "lip", jaw, 8);
  add(body, "tip", add(body, "tongue", jaw));
  add(body, "lash", add(body, "lid", head));
  // A limb on the head is no patch.
  add(body, "hand", add(body, "forearm", add(body, "arm", head)));
  EXPECT_THAT(patches(body),
              testing::UnorderedElementsAre("cheek0", "cheek1", "cheek2", "cheek3", "cheek4", "cheek5", "cheek6",
                                            "cheek7", "jaw", "lip0", "lip1", "lip2", "lip3", "lip4", "lip5", "lip6",
                                            "lip7", "tongue", "tip", "lid", "lash"));
}

TEST(PatchJoints, OfAFaceThatHasFewAreFoundByTheirNames) {
  Skeleton body;
  const std::int32_t head = add(body, "Head", add(body, "Neck", -1));
  for (const char* name : {"LeftEye", "right_upper_lid", "hat"}) add(body, name, head);
  add(body, "tooth", add(body, "Jaw", head));
  EXPECT_THAT(patches(body), testing::UnorderedElementsAre("LeftEye", "right_upper_lid", "Jaw", "tooth"));
  // A box has a lid too.
  Skeleton box;
  add(box, "lid", add(box, "box", -1));
  EXPECT_TRUE(patches(box).empty());
}

// Hands from headsets have joints that are all siblings.
TEST(PatchJoints, AreNotTheJointsOfAFlatHand) {
  for (const char* root : {"Armature", "hand", ""}) {
    Skeleton hand;
    const std::int32_t armature = add(hand, root, -1);
    add(hand, "wrist", armature);
    for (const char* finger : {"thumb", "index-finger", "middle-finger", "ring-finger", "pinky-finger"}) {
      for (const char* part : {"metacarpal", "phalanx-proximal", "phalanx-distal", "tip"}) {
        add(hand, std::string(finger) + "-" + part, armature);
      }
    }
    EXPECT_TRUE(patches(hand).empty()) << root;
  }
}

TEST(PatchJoints, AreThoseOfAFlatSkeletonThatAreNamedSo) {
  Skeleton flat;
  const std::int32_t root = add(flat, "root", -1);
  for (const char* name : {"LeftArm", "RightArm", "LeftUpLeg", "RightUpLeg", "Spine", "hat", "tail"}) {
    add(flat, name, root);
  }
  const std::vector<std::string> face{"l_upperLid_01", "r_underEyeA", "l_cheekUpB", "c_noseBridge", "r_nostril",
                                      "l_cornerLip",   "browA.L",     "mouth_low",  "jaw",          "chin"};
  for (const std::string& name : face) add(flat, name, root);
  EXPECT_THAT(patches(flat), testing::UnorderedElementsAreArray(face));
}

// One part that many names contain in a longer word is a part of something else, even if they form pairs.
TEST(PatchJoints, AreNotEyeletsAndSurfaces) {
  for (const char* name : {"eyelet_", "surface_", "clip_", "lip_"}) {
    Skeleton ship;
    const std::int32_t shoe = add(ship, "shoe", add(ship, "ship", -1));
    ship.joints[shoe].rest.translation = {0, 5, 0};
    add_many(ship, name, shoe, 8);
    for (int i = 0; i < 8; ++i) {
      const auto k = static_cast<float>(i / 2);
      ship.joints[shoe + 1 + i].rest.translation = {i % 2 == 0 ? 0.1f : -0.1f, 0.1f * k, 0.2f * k};
    }
    EXPECT_EQ(patches(ship).size(), name == std::string("lip_") ? 8u : 0u) << name;
  }
}

TEST(PatchJoints, AreNotLimbsOnAHead) {
  Skeleton body;
  const std::int32_t head = add(body, "head", add(body, "neck", -1));
  add_many(body, "lip", head, 8);
  for (const char* side : {"l_", "r_"})
    add(body, side + std::string("ear_02"), add(body, side + std::string("ear_01"), head));
  add(body, "antenna_tip", add(body, "antenna", head));
  const std::vector<std::string> names = patches(body);
  EXPECT_EQ(names.size(), 8u);
  EXPECT_THAT(names, testing::Each(testing::StartsWith("lip")));
}

// Names that are meaningless or not English: the positions of joints decide.
class UnnamedCrowd : public testing::Test {
 protected:
  Skeleton body_;
  std::string name_ = "Bone.";

  std::int32_t place(const glm::vec3& from_parent, std::int32_t parent) {
    body_.joints.push_back({.name = name_ + std::to_string(body_.joints.size()), .parent = parent});
    body_.joints.back().rest.translation = from_parent;
    return static_cast<std::int32_t>(body_.joints.size()) - 1;
  }
};

TEST_F(UnnamedCrowd, IsAFaceIfItIsSmallAndItsOwnMirrorImage) {
  for (const char* name : {"Bone.", "Mund", "ctrl_", "\u53e3", "finger"}) {
    name_ = name;
    body_ = {};
    const std::int32_t head = place({0, 1.6f, 0}, place({0, 0, 0}, -1));
    for (const float side : {-1.0f, 1.0f}) {
      for (int k = 0; k < 4; ++k) {
        place({side * (0.02f + 0.01f * static_cast<float>(k)), 0.03f * static_cast<float>(k), 0.1f}, head);
      }
    }
    place({0, -0.05f, 0.12f}, head);
    EXPECT_EQ(patches(body_).size(), name_ == "finger" ? 0u : 9u) << name;
    for (Joint& joint : body_.joints) {
      if (joint.parent == head) joint.rest.translation *= 20.0f;
    }
    EXPECT_TRUE(patches(body_).empty()) << name << ": as large as the body";
  }
}

TEST_F(UnnamedCrowd, IsNoFaceIfItFansOutAsAHand) {
  const std::int32_t hand = place({0.8f, 1.4f, 0}, place({0, 0, 0}, -1));
  place({0.02f, -0.01f, 0.03f}, hand);  // a thumb
  place({0.04f, -0.02f, 0.05f}, hand);
  for (int finger = 0; finger < 4; ++finger) {
    for (int k = 0; k < 3; ++k) {
      const float reach = 0.08f + 0.03f * static_cast<float>(k) - 0.01f * std::abs(static_cast<float>(finger) - 1);
      place({reach, 0, 0.03f - 0.02f * static_cast<float>(finger)}, hand);
    }
  }
  EXPECT_TRUE(patches(body_).empty());
}

}  // namespace
}  // namespace pelt
