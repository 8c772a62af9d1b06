// SPDX-License-Identifier: MIT
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

}  // namespace
}  // namespace pelt
