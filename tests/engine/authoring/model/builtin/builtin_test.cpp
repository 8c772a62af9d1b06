// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>

#include <pelt/builtin.h>
#include <pelt/linear_blend.h>
#include <pelt/pose.h>
#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/geometry/manifold.h"
#include "tests/engine/authoring/geometry/part_count.h"
#include "tests/support/clip_joints.h"
#include "tests/support/driven.h"

namespace pelt {
namespace {

// Expects one closed surface: every edge lies in two triangles, and those round every vertex form one fan.
void expect_closed(const Mesh& mesh) {
  EXPECT_FALSE(mesh.triangles.empty());
  EXPECT_TRUE(border_edges(mesh.triangles).empty());
  EXPECT_EQ(manifold_of(mesh.triangles).triangles, mesh.triangles);
  EXPECT_EQ(test::part_count(mesh.positions.size(), mesh.triangles), 1u);
}

// Expects closed meshes, which bind need not repair, and which the rest pose shows as they are.
void expect_sound(const Model& model, std::size_t meshes = 1) {
  ASSERT_EQ(model.meshes.size(), meshes);
  const Bound bound = test::bound(model, test::rig_of(LinearBlendParameters{}));
  const std::vector<glm::mat4> rest = test::clip_joints(model.skeleton, nullptr, 0);
  for (std::size_t m = 0; m < meshes; ++m) {
    const Mesh& mesh = model.meshes[m];
    expect_closed(mesh);
    EXPECT_GT(test::volume(mesh.positions, mesh.triangles), 0.0);
    EXPECT_LE(statistics(mesh.weights).max_influences, 4u);
    EXPECT_TRUE(bound.report.meshes[m].repaired_vertices.empty());
    EXPECT_LT(test::farthest(test::posed(bound.character, rest, mesh.name), mesh.positions), 1e-5f);
  }
  for (const Clip& clip : model.clips) {
    for (const Channel& channel : clip.channels) EXPECT_NEAR(channel.times.back(), clip.duration, 1e-6f) << clip.name;
  }
}

std::vector<glm::mat4> pose(const Model& model, std::string_view clip, float time) {
  const Clip* found = find_clip(model.clips, clip);
  EXPECT_NE(found, nullptr) << clip;
  return test::clip_joints(model.skeleton, found, time);
}

glm::mat4 joint_matrix(const Model& model, const std::vector<glm::mat4>& matrices, std::string_view name) {
  const auto joint = model.skeleton.find(name);
  EXPECT_TRUE(joint) << name;
  return matrices[joint.value_or(0)];
}

TEST(Limb, IsTheYardstick) {
  const Model limb = make_limb();
  expect_sound(limb);
  const Mesh& mesh = limb.meshes.front();
  // A prism of 64 sides, radius 1, length 8.
  EXPECT_NEAR(test::volume(mesh.positions, mesh.triangles), 8.0 * 32.0 * std::sin(glm::two_pi<double>() / 64.0), 1e-4);
  for (const glm::vec3& p : mesh.positions) {
    EXPECT_GE(p.x, 0.0f);
    EXPECT_LE(p.x, 8.0f);
    EXPECT_LE(glm::length(glm::vec2(p.y, p.z)), 1.0f + 1e-6f);
  }
  ASSERT_EQ(limb.skeleton.joints.size(), 2u);
  EXPECT_EQ(limb.skeleton.find("root"), 0u);
  EXPECT_EQ(limb.skeleton.find("joint"), 1u);
}

TEST(Limb, BlendsOverTheLengthAskedFor) {
  const Model limb = make_limb({.blend_length = 3.0f});
  const Mesh& mesh = limb.meshes.front();
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const float x = mesh.positions[i].x;
    const auto row = mesh.weights.row(i);
    if (x < 2.4f || x > 5.6f) {
      EXPECT_EQ(row.size(), 1u);
      EXPECT_EQ(row.front().index, x < 2.4f ? 0u : 1u);
    }
    if (x == 4.0f) {
      ASSERT_EQ(row.size(), 2u);
      EXPECT_NEAR(row[0].weight, 0.5f, 1e-6f);
    }
  }
}

TEST(Limb, IsSoundAtOddSizes) {
  for (std::uint32_t around : {0u, 3u, 7u, 65u}) {
    for (std::uint32_t along : {0u, 1u, 2u, 63u}) {
      SCOPED_TRACE(testing::Message() << around << " x " << along);
      expect_sound(make_limb({.radius = 0.5f, .length = 3.0f, .around = around, .along = along}));
    }
  }
  expect_sound(make_limb({.blend_length = 0.0f}));
}

TEST(Limb, ClipsTurnAtTheSpeedTheyPromise) {
  const Model limb = make_limb();
  EXPECT_NEAR(find_clip(limb.clips, "bend")->duration, 150.0f / 90.0f, 1e-6f);
  EXPECT_NEAR(find_clip(limb.clips, "twist")->duration, 4.0f, 1e-6f);
  const glm::mat4 bent = joint_matrix(limb, pose(limb, "bend", 1.0f), "joint");
  EXPECT_NEAR(glm::distance(glm::vec3(bent[0]), glm::vec3(0, 1, 0)), 0.0f, 1e-5f);
  const glm::mat4 twisted = joint_matrix(limb, pose(limb, "twist", 3.0f), "joint");
  EXPECT_NEAR(glm::distance(glm::vec3(twisted[1]), glm::vec3(0, 0, -1)), 0.0f, 1e-5f);
}

TEST(Arm, IsSoundFlexesAndTwists) {
  const Model arm = make_arm();
  expect_sound(arm);
  EXPECT_GT(arm.meshes.front().positions.size(), 9000u);
  const glm::mat4 elbow = joint_matrix(arm, pose(arm, "flex", 1.5f), "elbow");
  EXPECT_NEAR(glm::distance(glm::vec3(elbow[0]), glm::vec3(0, 1, 0)), 0.0f, 1e-3f);
  const glm::mat4 wrist = joint_matrix(arm, pose(arm, "twist", 1.5f), "wrist");
  EXPECT_NEAR(glm::distance(glm::vec3(wrist[1]), glm::vec3(0, 0, 1)), 0.0f, 1e-3f);
}

TEST(Tail, IsSoundAndCurls) {
  const Model tail = make_tail();
  expect_sound(tail);
  EXPECT_EQ(tail.skeleton.joints.size(), 8u);
  // The tip turns more than once round.
  float turn = 0;
  const auto curled = pose(tail, "curl", 2.3f);
  for (std::size_t j = 1; j < curled.size(); ++j) {
    const glm::vec3 a(curled[j - 1][0]), b(curled[j][0]);
    turn += glm::degrees(std::acos(glm::clamp(glm::dot(a, b), -1.0f, 1.0f)));
  }
  EXPECT_GT(turn, 360.0f);
}

TEST(Biped, IsSoundAndRaisesItsHands) {
  const Model biped = make_biped();
  expect_sound(biped, 3);
  EXPECT_EQ(biped.name, "builtin:biped");
  EXPECT_TRUE(biped.report.notes.empty());
  EXPECT_EQ(biped.meshes[0].positions.size(), 39034u);
  EXPECT_EQ(biped.clips.size(), 10u);
  // Every joint moves skin, or could: those of the meshes' nodes are none.
  ASSERT_EQ(biped.skeleton.joints.size(), 59u);
  ASSERT_EQ(biped.bound_joints.size(), 59u);
  for (std::uint32_t j = 0; j < 59; ++j) {
    EXPECT_EQ(biped.bound_joints[j].joint, j);
    EXPECT_LT(biped.skeleton.joints[j].parent, static_cast<std::int32_t>(j));
  }
  EXPECT_EQ(biped.skeleton.find("left_hand"), 9u);
  EXPECT_EQ(biped.skeleton.find("jaw"), 20u);
  const auto matrices = pose(biped, "raise", 1.2f);
  for (const char* hand : {"left_hand", "right_hand"}) EXPECT_GT(joint_matrix(biped, matrices, hand)[3].y, 1.9f);
}

}  // namespace
}  // namespace pelt
