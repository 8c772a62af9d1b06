// SPDX-License-Identifier: MIT
// Tests the most visible effects of curves on a whole character: a chest under raised arms, a nod, a hidden hand.
#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <map>
#include <string>

#include <pelt/builtin.h>
#include <pelt/curve_skeleton.h>
#include <pelt/linear_blend.h>
#include <pelt/pose.h>

#include "engine/authoring/chain/rigid_regions.h"
#include "tests/support/driven.h"

namespace pelt::curve_skeleton {
namespace {

class CurvesOnTheBiped : public testing::Test {
 protected:
  CurvesOnTheBiped()
      : model_(make_biped()),
        character_(test::bound(model_, test::rig_of(CurveSkeletonParameters{})).character),
        joints_(test::bind_matrices(model_)) {}

  std::uint32_t joint(const std::string& name) const { return model_.skeleton.find(name).value(); }

  bool hangs_on(std::uint32_t below, std::uint32_t above) const {
    std::int32_t j = static_cast<std::int32_t>(below);
    while (j >= 0 && j != static_cast<std::int32_t>(above))
      j = model_.skeleton.joints[static_cast<std::size_t>(j)].parent;
    return j >= 0;
  }

  glm::vec3 place(const std::string& name) const { return glm::vec3(joints_[joint(name)][3]); }

  // Applies a motion about a joint's position to it and to its descendants.
  void move(const std::string& name, const glm::mat4& motion) {
    const glm::vec3 at = place(name);
    const glm::mat4 about = glm::translate(glm::mat4(1.0f), at) * motion * glm::translate(glm::mat4(1.0f), -at);
    for (std::uint32_t j = 0; j < joints_.size(); ++j) {
      if (hangs_on(j, joint(name))) joints_[j] = about * joints_[j];
    }
  }
  void turn(const std::string& name, float degrees, const glm::vec3& axis) {
    move(name, glm::rotate(glm::mat4(1.0f), glm::radians(degrees), axis));
  }

  std::vector<glm::vec3> moved() const { return test::posed(character_, joints_, model_.meshes[0].name); }

  struct Strain {
    float crease = 0;   // degrees by which neighbouring triangles turn against each other
    float stretch = 0;  // stretch of an edge, relative to its length at rest
  };

  // Returns the strain of the edges whose middle at rest is on the breastbone.
  Strain chest() const {
    const Mesh& mesh = model_.meshes[0];
    const std::vector<glm::vec3> posed = moved();
    const auto normal = [&](std::span<const glm::vec3> at, std::uint32_t t) {
      const glm::uvec3 c = mesh.triangles[t];
      return glm::normalize(glm::cross(at[c.y] - at[c.x], at[c.z] - at[c.x]));
    };
    const auto angle = [](const glm::vec3& a, const glm::vec3& b) {
      return glm::degrees(std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b)));
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> other;
    Strain strain;
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
      for (int k = 0; k < 3; ++k) {
        const std::uint32_t a = mesh.triangles[t][k];
        const std::uint32_t b = mesh.triangles[t][(k + 1) % 3];
        const glm::vec3 middle = 0.5f * (mesh.positions[a] + mesh.positions[b]);
        if (std::abs(middle.x) > 0.06f || middle.y < 1.3f || middle.y > 1.5f || middle.z < 0) continue;
        strain.stretch = std::max(
            strain.stretch, glm::distance(posed[a], posed[b]) / glm::distance(mesh.positions[a], mesh.positions[b]));
        const auto [known, is_new] = other.try_emplace(std::minmax(a, b), t);
        if (is_new) continue;
        const float before = angle(normal(mesh.positions, t), normal(mesh.positions, known->second));
        strain.crease = std::max(strain.crease, angle(normal(posed, t), normal(posed, known->second)) - before);
      }
    }
    EXPECT_GT(strain.stretch, 0);
    return strain;
  }

  Model model_;
  Character character_;
  std::vector<glm::mat4> joints_;
};

TEST_F(CurvesOnTheBiped, RaisedArmsLeaveTheChestWhole) {
  for (const bool left : {true, false}) {
    const std::string side = left ? "left" : "right";
    turn(side + "_shoulder", left ? 25.0f : -25.0f, {0, 0, 1});
    turn(side + "_upper_arm", left ? 110.0f : -110.0f, {0, 0, 1});
  }
  const Strain strain = chest();
  EXPECT_LT(strain.crease, 15);
  EXPECT_LT(strain.stretch, 1.7f);
}

TEST_F(CurvesOnTheBiped, RolledArmsDoNotWringTheChest) {
  for (const std::string side : {"left", "right"}) {
    const glm::vec3 arm = glm::normalize(place(side + "_forearm") - place(side + "_upper_arm"));
    turn(side + "_upper_arm", 80, arm);
  }
  const Strain strain = chest();
  EXPECT_LT(strain.crease, 15);
  EXPECT_LT(strain.stretch, 1.7f);
}

TEST_F(CurvesOnTheBiped, NoddingHeadKeepsItsFace) {
  const std::vector<glm::mat4> rest = joints_;
  const std::uint32_t head = joint("head");
  turn("head", 40, {1, 0, 0});
  const std::vector<glm::vec3> posed = moved();
  const glm::mat4 motion = joints_[head] * glm::inverse(rest[head]);
  const Mesh& mesh = model_.meshes[0];
  int checked = 0;
  for (std::size_t v = 0; v < posed.size(); ++v) {
    float weight = 0;
    for (const Influence& influence : mesh.weights.row(v)) {
      if (model_.bound_joints[influence.index].joint == head) weight += influence.weight;
    }
    if (weight < 0.999f) continue;
    ++checked;
    EXPECT_LT(glm::distance(posed[v], glm::vec3(motion * glm::vec4(mesh.positions[v], 1.0f))), 1e-3f) << v;
  }
  EXPECT_GT(checked, 500);
}

// Curves of several directions meet at the trunk.
TEST_F(CurvesOnTheBiped, SkinThatSpansTheTrunkMovesAsPainted) {
  const Character linear = test::bound(model_, test::rig_of(LinearBlendParameters{.twist = Twist::kSpread})).character;
  turn("left_upper_arm", 120, {0, 0, 1});
  turn("right_thigh", -100, {1, 0, 0});
  turn("spine", 30, {1, 0, 0});
  turn("neck", 60, {0, 1, 0});
  const Mesh& mesh = model_.meshes[0];
  const std::vector<glm::vec3> posed = moved();
  const std::vector<glm::vec3> painted = test::posed(linear, joints_, mesh.name);
  int checked = 0;
  for (const char* name : {"left_upper_arm", "right_thigh", "spine", "neck", "chest"}) {
    for (std::size_t v = 0; v < posed.size(); ++v) {
      float beyond = 0;
      for (const Influence& influence : mesh.weights.row(v)) {
        if (hangs_on(model_.bound_joints[influence.index].joint, joint(name))) beyond += influence.weight;
      }
      if (std::min(beyond, 1 - beyond) < 0.17f) continue;
      ++checked;
      EXPECT_LT(glm::distance(posed[v], painted[v]), 1e-4f) << name << ", " << v;
    }
  }
  EXPECT_GT(checked, 1000);
}

// Beyond, curves move as the bones do, or a ring would show at their beginning.
TEST_F(CurvesOnTheBiped, LimbsBeyondTheTrunkMoveAsTheirBones) {
  const std::vector<glm::mat4> rest = joints_;
  turn("right_thigh", 100, glm::normalize(glm::cross(place("right_shin") - place("right_thigh"), glm::vec3(0, 0, 1))));
  const std::vector<glm::vec3> posed = moved();
  const glm::mat4 motion = joints_[joint("right_thigh")] * glm::inverse(rest[joint("right_thigh")]);
  const Mesh& mesh = model_.meshes[0];
  const float cut = glm::distance(place("right_shin"), place("right_thigh")) / 16 / 6;  // of the corner
  int checked = 0;
  for (std::size_t v = 0; v < posed.size(); ++v) {
    const auto row = mesh.weights.row(v);
    const bool is_alone = row.size() == 1 && model_.bound_joints[row[0].index].joint == joint("right_thigh");
    if (!is_alone) continue;
    ++checked;
    EXPECT_LT(glm::distance(posed[v], glm::vec3(motion * glm::vec4(mesh.positions[v], 1.0f))), cut) << v;
  }
  EXPECT_GT(checked, 100);
}

TEST_F(CurvesOnTheBiped, AHiddenHandMovesNothingAboveIt) {
  const std::vector<glm::vec3> before = moved();
  move("left_hand", glm::scale(glm::mat4(1.0f), glm::vec3(0.0f)));
  const std::vector<glm::vec3> after = moved();
  const Mesh& mesh = model_.meshes[0];
  const std::uint32_t hand = joint("left_hand");
  int checked = 0;
  for (std::size_t v = 0; v < after.size(); ++v) {
    const auto row = mesh.weights.row(v);
    const bool follows = std::ranges::any_of(
        row, [&](const Influence& influence) { return hangs_on(model_.bound_joints[influence.index].joint, hand); });
    const glm::vec3 forearm = place("left_forearm");
    if (follows || glm::distance(mesh.positions[v], forearm) > 0.16f) continue;
    ++checked;
    EXPECT_LT(glm::distance(before[v], after[v]), 5e-3f) << v;
  }
  EXPECT_GT(checked, 100);
}

TEST_F(CurvesOnTheBiped, CoresAreHeadsHandsFeetAndHubs) {
  const std::vector<std::uint32_t> meshes{0};
  const std::vector<std::uint32_t> regions = chain::rigid_regions(model_, meshes).of_joint;
  for (const char* name : {"head", "left_hand", "right_foot", "hips", "chest"})
    EXPECT_NE(regions[joint(name)], chain::kNoRigidRegion) << name;
  for (const char* name : {"left_forearm", "right_upper_arm", "left_shin", "right_thigh", "spine", "neck"}) {
    EXPECT_EQ(regions[joint(name)], chain::kNoRigidRegion) << name;
  }
}

// A limb below a branch: its first bone is 2 long, with or without a twist helper, and its skin thick or thin. No skin
// mostly follows that bone.
TEST(RigidRegions, HaunchesBelongToTheTrunk) {
  for (const auto& [radius, has_helper] : {std::pair(0.5f, false), {1.5f, false}, {0.5f, true}, {1.5f, true}}) {
    Model model = test::make_tube({.along = 48, .radius = radius, .joints = 4});
    std::vector<Joint>& joints = model.skeleton.joints;
    joints[2].name = "haunch.L";
    joints[3].name = "stifle.L";
    joints.push_back({.name = "branch", .parent = 1});
    joints.back().rest.translation = {0, 5, 0};
    model.bound_joints.push_back({4, glm::translate(glm::mat4(1), glm::vec3(-2, -5, 0))});
    std::vector<Influence>& influences = model.meshes[0].weights.influences;
    influences[0].index = 4;
    if (has_helper) {
      joints.push_back({.name = "haunch_twist.L", .parent = 2});
      joints.back().rest.translation = {1, 0, 0};
      model.bound_joints.push_back({5, glm::translate(glm::mat4(1), glm::vec3(-5, 0, 0))});
      influences[1].index = 5;
    }
    for (Influence& influence : influences) influence.weight *= influence.index == 2 ? 0.4f : 1.0f;
    const std::uint32_t mesh = 0;
    const std::vector<Influence> passes{{2, 0.5f}, {3, 0.5f}};
    EXPECT_EQ(chain::rigid_regions(model, std::span(&mesh, 1)).spanning(passes), radius > 1 ? 1.0f : 0.0f);
  }
}

}  // namespace
}  // namespace pelt::curve_skeleton
