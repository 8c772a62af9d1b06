// SPDX-License-Identifier: MIT
#include "engine/driver/from_skin/armpits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <pelt/builtin.h>

namespace pelt::from_skin {
namespace {

Armpits armpits_of(const Model& model) { return Armpits(model.meshes[0].positions, model.meshes[0].weights, model); }

// Returns the largest share of the skin within 2 cm of a place.
float share_near(const Model& model, const glm::vec3& place) {
  const Mesh& mesh = model.meshes[0];
  const Armpits armpits = armpits_of(model);
  float most = -1;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    if (glm::distance(mesh.positions[v], place) > 0.02f) continue;
    most = std::max(most, armpits.share(mesh.positions[v], mesh.weights.row(v)));
  }
  EXPECT_GE(most, 0) << "no skin there";
  return most;
}

// Returns the skin's vertex that a line from a joint in a direction meets first.
glm::vec3 skin_of(const Model& model, const std::string& joint, const glm::vec3& direction) {
  const auto bound = std::ranges::find(model.bound_joints, *model.skeleton.find(joint), &BoundJoint::joint);
  const glm::vec3 from(glm::inverse(bound->inverse_bind)[3]);
  glm::vec3 found = from + direction;
  for (const glm::vec3& p : model.meshes[0].positions) {
    const float along = glm::dot(p - from, direction);
    const bool meets = along > 0 && glm::length(p - from - along * direction) < 0.02f;
    if (meets && along < glm::dot(found - from, direction)) found = p;
  }
  return found;
}

TEST(Armpits, AreBelowTheShoulders) {
  const Model biped = make_biped();
  for (const std::string side : {"left_", "right_"}) {
    EXPECT_GT(share_near(biped, skin_of(biped, side + "upper_arm", {0, -1, 0})), 0.4f) << side;
    EXPECT_EQ(share_near(biped, skin_of(biped, side + "upper_arm", {0, 1, 0})), 0) << side;
    EXPECT_EQ(share_near(biped, skin_of(biped, side + "forearm", {0, -1, 0})), 0) << side;
    EXPECT_EQ(share_near(biped, skin_of(biped, side + "thigh", {0, 0, -1})), 0) << side;
  }
}

TEST(Armpits, AreKnownByTheNamesOfArms) {
  Model biped = make_biped();
  EXPECT_FALSE(armpits_of(biped).empty());
  for (Joint& joint : biped.skeleton.joints) joint.name = "joint " + std::to_string(&joint - &biped.skeleton.joints[0]);
  EXPECT_TRUE(armpits_of(biped).empty());
  const Model limb = make_limb();
  EXPECT_TRUE(armpits_of(limb).empty());
}

}  // namespace
}  // namespace pelt::from_skin
