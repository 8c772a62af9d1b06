// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/from_skin/armpits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include <pelt/builtin.h>

namespace pelt::from_skin {
namespace {

// Returns the largest weight of the skin within a distance from a point, metres; -1: there is no skin.
float largest_share(const Model& model, const glm::vec3& place = glm::vec3(0.0f),
                    float within = std::numeric_limits<float>::infinity()) {
  const Mesh& mesh = model.meshes[0];
  const Armpits armpits(model);
  float most = -1;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    if (glm::distance(mesh.positions[v], place) > within) continue;
    most = std::max(most, armpits.share(mesh.positions[v], mesh.weights.row(v)));
  }
  return most;
}

float share_near(const Model& model, const glm::vec3& place) { return largest_share(model, place, 0.02f); }

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
    EXPECT_GT(share_near(biped, skin_of(biped, side + "upper_arm", {0, -1, 0})), 0.8f) << side;
    EXPECT_EQ(share_near(biped, skin_of(biped, side + "upper_arm", {0, 1, 0})), 0) << side;
    EXPECT_EQ(share_near(biped, skin_of(biped, side + "forearm", {0, -1, 0})), 0) << side;
    EXPECT_EQ(share_near(biped, skin_of(biped, side + "thigh", {0, 0, -1})), 0) << side;
  }
}

TEST(Armpits, AreKnownByTheNamesOfArms) {
  Model biped = make_biped();
  EXPECT_GT(largest_share(biped), 0.9f);
  for (Joint& joint : biped.skeleton.joints) joint.name = "joint " + std::to_string(&joint - &biped.skeleton.joints[0]);
  EXPECT_EQ(largest_share(biped), 0);
  EXPECT_EQ(largest_share(make_limb()), 0);
}

}  // namespace
}  // namespace pelt::from_skin
