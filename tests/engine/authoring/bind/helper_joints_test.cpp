// SPDX-License-Identifier: MIT
// Helper joints: joints that turn by shares of another joint's turn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <glm/gtc/quaternion.hpp>
#include <string>

#include <pelt/bind.h>
#include <pelt/evaluate.h>
#include <pelt/linear_blend.h>
#include <pelt/model_of.h>
#include <pelt/pelt_file.h>
#include <pelt/pose.h>
#include <pelt/rig_json.h>

#include "tests/support/breakage.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kSource = 1;
constexpr std::uint32_t kHelper = 3;
constexpr float kTolerance = 1e-5f;

glm::quat turn(float degrees, const glm::vec3& axis) { return glm::angleAxis(glm::radians(degrees), axis); }

// Returns a tube along x over joint0, joint1 and joint2, with the joints "helper", a sibling of joint1, and "tip" below
// it. No joint's axes are those of its parent.
Model tube() {
  Model model = test::make_tube({.joints = 3});
  std::vector<Joint>& joints = model.skeleton.joints;
  joints.push_back(
      {.name = "helper", .parent = 0, .rest = {.translation = {2, 0, 0}, .rotation = turn(70, {0, 0, 1})}});
  joints.push_back({.name = "tip", .parent = 3, .rest = {.translation = {0, 0.5f, 0}}});
  joints[0].rest.rotation = turn(25, {0, 1, 0});
  joints[kSource].rest.rotation = turn(-40, {0, 1, 0});
  return model;
}

Rig rig_with(std::vector<HelperTurn> helpers) {
  Rig rig = test::rig_of(LinearBlendParameters{}, "tube");
  rig.helper_joints = std::move(helpers);
  return rig;
}

Character bound_with(std::vector<HelperTurn> helpers) {
  return test::bound(tube(), rig_with(std::move(helpers))).character;
}

std::string error_of(std::vector<HelperTurn> helpers) { return test::bind_error(tube(), rig_with(std::move(helpers))); }

// Returns the joint matrices with joint1 turned from its rest.
std::vector<glm::mat4> matrices_of(const Skeleton& skeleton, const glm::quat& source_turn) {
  std::vector<Transform> local(skeleton.joints.size());
  rest_pose(skeleton, local);
  local[kSource].rotation = local[kSource].rotation * source_turn;
  std::vector<glm::mat4> matrices(local.size());
  model_matrices(skeleton, local, matrices);
  return matrices;
}

void expect_near(const glm::mat4& matrix, const glm::mat4& wanted) {
  for (int c = 0; c < 4; ++c) {
    for (int r = 0; r < 4; ++r) EXPECT_NEAR(matrix[c][r], wanted[c][r], kTolerance) << "column " << c << ", row " << r;
  }
}

// Expects that the source's turn moves the helper from its rest as `share`, a turn in the source's space, would.
void expect_turned(const Skeleton& skeleton, const glm::quat& source_turn, const glm::quat& share) {
  std::vector<glm::mat4> rest(skeleton.joints.size());
  rest_matrices(skeleton, rest);
  const glm::quat axes = glm::quat_cast(glm::mat3(rest[kSource]));
  const std::vector<glm::mat4> matrices = matrices_of(skeleton, source_turn);
  glm::mat4 wanted = glm::mat4_cast(axes * share * glm::conjugate(axes)) * glm::mat4(glm::mat3(rest[kHelper]));
  wanted[3] = rest[kHelper][3];
  expect_near(matrices[kHelper], wanted);
  expect_near(matrices[kHelper + 1], wanted * glm::inverse(rest[kHelper]) * rest[kHelper + 1]);
}

TEST(HelperJoints, TakeSharesOfTwistAndSwing) {
  const Character twisted = bound_with({{.joint = "helper", .source = "joint1"}});
  for (const float degrees : {-170.0f, -90.0f, 0.0f, 30.0f, 170.0f}) {
    expect_turned(twisted->skeleton, turn(degrees, {1, 0, 0}), turn(degrees / 2, {1, 0, 0}));
  }
  expect_turned(twisted->skeleton, turn(80, {0, 0, 1}), turn(0, {1, 0, 0}));

  const Character bent = bound_with({{.joint = "helper", .source = "joint1", .twist = 0, .swing = 0.5f}});
  expect_turned(bent->skeleton, turn(120, {0, 0, 1}), turn(60, {0, 0, 1}));
  expect_turned(bent->skeleton, turn(120, {1, 0, 0}), turn(0, {1, 0, 0}));

  const glm::vec3 axis = glm::normalize(glm::vec3(1, 2, -1));
  const glm::vec3 across = glm::normalize(glm::cross(axis, glm::vec3(0, 0, 1)));
  const Character both =
      bound_with({{.joint = "helper", .source = "joint1", .axis = 3.0f * axis, .twist = -1, .swing = 0.25f}});
  expect_turned(both->skeleton, turn(100, across) * turn(40, axis), turn(25, across) * turn(-40, axis));
}

TEST(HelperJoints, KeepTheirScaleAndForgetTheirOwnAnimation) {
  Model model = tube();
  model.skeleton.joints[kHelper].rest.scale = {1, 2, 3};
  const Skeleton skeleton = test::bound(model, rig_with({{.joint = "helper", .source = "joint1"}})).character->skeleton;
  std::vector<Transform> local(skeleton.joints.size());
  rest_pose(skeleton, local);
  local[kHelper] = {{7, 8, 9}, turn(50, {0, 1, 0}), {4, 4, 4}};
  std::vector<glm::mat4> matrices(local.size());
  model_matrices(skeleton, local, matrices);
  std::vector<glm::mat4> rest(local.size());
  rest_matrices(skeleton, rest);
  for (std::size_t j = 0; j < rest.size(); ++j) expect_near(matrices[j], rest[j]);
}

TEST(HelperJoints, AreTurnedOnce) {
  const Character character =
      bound_with({{.joint = "helper", .source = "joint1"}, {.joint = "tip", .source = "helper", .twist = 1}});
  const std::vector<glm::mat4> once = matrices_of(character->skeleton, turn(75, {1, 0, 0}));
  std::vector<glm::mat4> twice = once;
  turn_helpers(character->skeleton, twice);
  for (std::size_t j = 0; j < once.size(); ++j) expect_near(twice[j], once[j]);
}

TEST(HelperJoints, FollowOtherHelperJoints) {
  // "second" is named first and reads "helper", whose turn it takes whole.
  Model model = tube();
  model.skeleton.joints.push_back({.name = "second", .parent = 0, .rest = model.skeleton.joints[kHelper].rest});
  const HelperTurn half{.joint = "helper", .source = "joint1", .axis = {1, 0, 0}};
  const HelperTurn whole{.joint = "second", .source = "helper", .twist = 1, .swing = 1};
  const Skeleton skeleton = test::bound(model, rig_with({whole, half})).character->skeleton;
  const std::vector<glm::mat4> matrices = matrices_of(skeleton, turn(100, {1, 0, 0}));
  expect_near(matrices[5], matrices[kHelper]);
  expect_turned(skeleton, turn(100, {1, 0, 0}), turn(50, {1, 0, 0}));
}

TEST(HelperJoints, OfJointsWithoutExtentStayAtRest) {
  const Character character = bound_with({{.joint = "helper", .source = "joint1"}});
  std::vector<glm::mat4> matrices = matrices_of(character->skeleton, turn(60, {1, 0, 0}));
  std::vector<glm::mat4> rest(matrices.size());
  rest_matrices(character->skeleton, rest);
  matrices[kSource] = glm::mat4(0.0f);
  matrices[kHelper] = glm::mat4(0.0f);
  turn_helpers(character->skeleton, matrices);
  expect_near(matrices[kHelper], rest[kHelper]);
}

// A game poses all joints by itself; a file keeps the helpers.
TEST(HelperJoints, AreTurnedByTheEvaluatorAndKeptByFiles) {
  Model model = tube();
  model.bound_joints.push_back({kHelper, glm::mat4(1.0f)});
  std::vector<glm::vec3>& points = model.meshes[0].positions;
  model.meshes[0].weights = test::rows_on(static_cast<std::uint32_t>(model.bound_joints.size() - 1), points.size());
  const Character made = test::bound(model, rig_with({{.joint = "helper", .source = "joint1"}})).character;
  const Character read = test::must(deserialize(serialize(made), "x.pelt"));

  Skeleton without = made->skeleton;
  without.helpers.clear();
  const std::vector<glm::mat4> unturned = matrices_of(without, turn(90, {1, 0, 0}));
  const std::vector<glm::mat4> turned = matrices_of(read->skeleton, turn(90, {1, 0, 0}));
  const std::vector<glm::vec3> posed = test::posed(read, unturned, "tube");
  EXPECT_LT(test::worst_distance(points, posed, test::by_matrix(turned[kHelper])), 1e-4f);
  EXPECT_GT(test::worst_distance(points, posed, test::by_matrix(unturned[kHelper])), 0.1f);
}

TEST(HelperJoints, WithoutSenseAreRefused) {
  EXPECT_EQ(error_of({{.joint = "helpre", .source = "joint1"}}),
            "the helper joint 'helpre': there is no joint 'helpre'; did you mean 'helper'?");
  EXPECT_EQ(error_of({{.joint = "helper", .source = "joint7"}}),
            "the helper joint 'helper': there is no joint 'joint7'; did you mean 'joint0'?");
  EXPECT_EQ(
      error_of({{.joint = "helper", .source = "joint0"}}),
      "the helper joint 'helper' turns with 'joint0', which has no parent: its turn is that of the whole character");
  EXPECT_EQ(error_of({{.joint = "helper", .source = "tip"}}),
            "the helper joint 'helper' turns with 'tip', which is below it");
  EXPECT_EQ(error_of({{.joint = "tip", .source = "tip"}}), "the helper joint 'tip' is its own source");
  EXPECT_EQ(error_of({{.joint = "tip", .source = "joint1"}, {.joint = "tip", .source = "joint2"}}),
            "two helper joints are 'tip'");
  EXPECT_THAT(error_of({{.joint = "tip", .source = "joint2"}, {.joint = "joint2", .source = "tip"}}),
              HasSubstr("turns with helper joints that turn with it"));
  EXPECT_THAT(error_of({{.joint = "tip", .source = "joint1", .twist = 3}}),
              HasSubstr("/helper_joints/0/twist: must be a number from -2 to 2, is 3"));
  EXPECT_THAT(error_of({{.joint = "tip", .source = "joint1", .axis = {std::nanf(""), 0, 0}}}),
              HasSubstr("/helper_joints/0/axis/0: must be a number"));
}

// The second helper joint, "tip", turns with "helper".
TEST(HelperJoints, OfBrokenCharactersAreRefused) {
  const Character sound =
      bound_with({{.joint = "helper", .source = "joint1"}, {.joint = "tip", .source = "helper", .twist = 1}});
  const test::Breakage breakages[] = {
      {"Joint", [](auto& d) { d.skeleton.helpers[1].joint = 99; }, "names joint 99, but there are only 5"},
      {"Source", [](auto& d) { d.skeleton.helpers[1].source = 99; }, "names joint 99, but there are only 5"},
      {"LastFar", [](auto& d) { d.skeleton.helpers[1].last = 99; }, "names joint 99, but there are only 5"},
      {"Last", [](auto& d) { d.skeleton.helpers[1].last = 0; },
       "lists 'joint0' as the last joint below it, but it is not"},
      {"Root", [](auto& d) { d.skeleton.helpers[1].source = 0; }, "which has no parent"},
      {"Axis", [](auto& d) { d.skeleton.helpers[1].axis *= 2; }, "not of unit length"},
      {"Rest", [](auto& d) { d.skeleton.helpers[1].source_rest = glm::vec4(0.0f); }, "not of unit length"},
      {"Turn", [](auto& d) { d.skeleton.helpers[1].source_to_joint[0] = std::nanf(""); }, "not of unit length"},
      {"Swing", [](auto& d) { d.skeleton.helpers[1].swing = -2.5f; }, "takes shares 1 and -2.5"},
      {"Twice", [](auto& d) { d.skeleton.helpers[1] = d.skeleton.helpers[0]; }, "two helper joints are 'helper'"},
      {"Order", [](auto& d) { std::swap(d.skeleton.helpers[0], d.skeleton.helpers[1]); },
       "comes after one that turns with it"},
  };
  test::expect_refused(breakages, *sound);
}

// A joint of a rig rests at its offset, with the axes of model space, and carries what is attached to it.
TEST(RigJoints, AreThoseThatTheModelLacks) {
  Rig rig = rig_with({});
  rig.joints = {{"handle", "joint1", {0.5f, 1, 0}}, {"below", "handle", {0, 0, 2}}};
  rig.helper_joints = {{.joint = "below", .source = "joint2", .twist = 1}};
  const Model model = tube();
  const Character character = test::bound(model, rig).character;
  const std::size_t first = model.skeleton.joints.size();
  ASSERT_EQ(character->skeleton.joints.size(), first + 2);
  EXPECT_EQ(character->skeleton.parent_of(first), kSource);
  std::vector<glm::mat4> rest(first + 2);
  rest_matrices(character->skeleton, rest);
  const glm::mat4 bind = glm::inverse(model.bound_joints[kSource].inverse_bind);
  const glm::mat4 bind_from_rest = bind * glm::inverse(rest[kSource]);
  glm::mat4 wanted(1);
  wanted[3] = bind[3] + glm::vec4(0.5f, 1, 0, 0);
  expect_near(bind_from_rest * rest[first], wanted);
  wanted[3].z += 2;
  expect_near(bind_from_rest * rest[first + 1], wanted);
  // The character's own model has them already.
  EXPECT_EQ(test::bound(test::must(model_of(character)), rig).character->skeleton.joints.size(), first + 2);
  EXPECT_EQ(test::must(parse_rig(format_rig(rig), "rig")), rig);
  rig.joints[0].parent = "joint7";
  EXPECT_THAT(test::bind_error(model, rig), HasSubstr("the joint 'handle' of the rig"));
  rig.joints[0] = {"tip", "joint1", {}};
  EXPECT_THAT(test::bind_error(model, rig), HasSubstr("the joint 'tip' of the rig has the name of another joint"));
}

}  // namespace
}  // namespace pelt
