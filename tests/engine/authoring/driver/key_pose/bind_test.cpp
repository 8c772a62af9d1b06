// SPDX-License-Identifier: MIT
// Key poses and morph targets of a driver.

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>

#include <pelt/key_pose.h>
#include <pelt/linear_blend.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"

namespace pelt {
namespace {

using test::kLimbVertex;
using test::kTubeTolerance;
using testing::HasSubstr;

const glm::vec3 kKeyOffset(0.1f, 0.5f, -0.2f);

KeyAngle about_z(const std::string& joint) { return {joint, {0, 0, 2}}; }

KeyPose key(std::vector<float> degrees, glm::vec3 offset = kKeyOffset, std::uint32_t vertex = kLimbVertex) {
  return {std::move(degrees), "", {{vertex, offset}}};
}

KeyPoseSet linear(std::vector<KeyPose> poses) {
  return {{about_z("joint1")}, KeyInterpolation::kLinear, std::move(poses)};
}

// Joint matrices with joint 1 and, in longer chains, joint 2 turned about z.
std::vector<glm::mat4> bent(const Model& model, float degrees, float second = 0) {
  Model posed = model;
  const auto turn = [](float angle) { return glm::angleAxis(glm::radians(angle), glm::vec3(0, 0, 1)); };
  posed.skeleton.joints[1].rest.rotation = posed.skeleton.joints[1].rest.rotation * turn(degrees);
  if (posed.skeleton.joints.size() > 2) posed.skeleton.joints[2].rest.rotation = turn(second);
  return test::bind_matrices(posed);
}

// Measures the offsets that keys add to the cage's vertices in a pose, turned back to the rest pose with joint 1.
class KeyPoses : public testing::Test {
 protected:
  SurfaceFfdParameters parameters_ = [] {
    SurfaceFfdParameters parameters = test::by_cage();
    parameters.driver.follow = Follow::kLinearBlend;
    return parameters;
  }();
  Model model_ = test::make_tube_in_cage();

  Character bound() const { return test::bound(model_, test::rig_of(parameters_, "tube")).character; }
  Character bound_without_keys() const {
    SurfaceFfdParameters plain = parameters_;
    plain.driver.key_poses.clear();
    return test::bound(model_, test::rig_of(plain, "tube")).character;
  }

  glm::vec3 offset_at(float degrees, float second = 0, std::uint32_t vertex = kLimbVertex) {
    const std::vector<glm::mat4> joints = bent(model_, degrees, second);
    const glm::vec3 moved =
        test::posed(bound(), joints, "cage")[vertex] - test::posed(bound_without_keys(), joints, "cage")[vertex];
    const glm::mat4 turn = glm::rotate(glm::mat4(1), glm::radians(-degrees - second), glm::vec3(0, 0, 1));
    return glm::vec3(turn * glm::vec4(moved, 0));
  }
  void expect_offset(glm::vec3 expected, float degrees, float second = 0) {
    EXPECT_LT(glm::distance(offset_at(degrees, second), expected), kTubeTolerance) << degrees << ", " << second;
  }
  std::string error() { return test::bind_error(model_, test::rig_of(parameters_, "tube")); }
};

TEST_F(KeyPoses, OfOneAngleInAnyOrderAndOnBothSidesOfRest) {
  const glm::vec3 other(-0.3f, 0, 0.1f);
  parameters_.driver.key_poses = {linear({key({120}), key({-90}, other), key({40}, 2.0f * other)})};
  expect_offset(glm::vec3(0), 0);
  expect_offset(2.0f * other, 40);
  expect_offset(0.5f * kKeyOffset + other, 80);
  expect_offset(kKeyOffset, 120);
  expect_offset(kKeyOffset, 170);
  expect_offset(0.5f * other, -45);
  expect_offset(other, -90);
  expect_offset(other, -170);
}

TEST_F(KeyPoses, OfSeveralSetsAdd) {
  const glm::vec3 other(-0.3f, 0, 0.1f);
  parameters_.driver.key_poses = {linear({key({90})}), linear({key({45}, other)})};
  expect_offset(0.5f * kKeyOffset + other, 45);
  expect_offset(kKeyOffset + other, 90);
}

TEST_F(KeyPoses, MoveTheListedVerticesAndWhatFollowsThemAlone) {
  parameters_.driver.key_poses = {linear({key({90})})};
  EXPECT_LT(glm::length(offset_at(90, 0, kLimbVertex + 1)), kTubeTolerance);
  const std::vector<glm::mat4> joints = bent(model_, 90);
  const float most =
      test::farthest(test::posed(bound(), joints, "tube"), test::posed(bound_without_keys(), joints, "tube"));
  EXPECT_GT(most, 0.1f) << "the skin follows the offset";
  EXPECT_LT(most, glm::length(kKeyOffset) + kTubeTolerance);
}

TEST_F(KeyPoses, CountTheAngleFromTheRestPoseInTheParent) {
  for (Joint& joint : model_.skeleton.joints) {
    joint.rest.rotation = glm::angleAxis(0.8f, glm::normalize(glm::vec3(1, 2, 3)));
  }
  std::vector<glm::mat4> rest = test::bind_matrices(model_);
  for (BoundJoint& bound : model_.bound_joints) bound.inverse_bind = glm::inverse(rest[bound.joint]);
  parameters_.driver.key_poses = {linear({key({90})})};
  const Character character = bound();
  const CharacterMesh& cage = test::mesh_of(character, "cage");
  // The offsets are those of the last vertices.
  const auto packed =
      static_cast<std::uint32_t>(std::ranges::find(cage.source_vertex, kLimbVertex) - cage.source_vertex.begin());
  const std::uint32_t entry = *cage.offset_entry + packed - cage.first_offset_vertex;
  const auto offset_at = [&](float degrees) {
    Evaluator evaluator(character);
    evaluator.pose(bent(model_, degrees));
    evaluator.evaluate();
    return affine_origin(evaluator.palette()[entry]);
  };
  EXPECT_LT(glm::length(offset_at(0)), kTubeTolerance);
  EXPECT_LT(glm::distance(offset_at(45), 0.5f * kKeyOffset), kTubeTolerance);
  EXPECT_LT(glm::distance(offset_at(90), kKeyOffset), kTubeTolerance);
}

// A frame that the rig turns has that turn at the key, and the turn whose tangent is half at half the weight.
TEST_F(KeyPoses, TurnFramesAsGiven) {
  const glm::dvec3 turn(20, -30, 50);
  KeyPose turned = key({90}, {0, 0, 0});
  turned.turns = {{kLimbVertex, glm::vec3(turn)}};
  const auto frame_of = [&](const Character& character, float degrees) {
    const CharacterMesh& cage = test::mesh_of(character, "cage");
    const auto at = std::ranges::find(cage.source_vertex, kLimbVertex) - cage.source_vertex.begin();
    Evaluator evaluator(character);
    evaluator.pose(bent(model_, degrees));
    evaluator.evaluate();
    return affine_axes(
        evaluator.palette()[*cage.offset_entry + static_cast<std::uint32_t>(at) - cage.first_offset_vertex]);
  };
  for (const glm::vec3 offset : {glm::vec3(0), kKeyOffset}) {  // whatever the offset, which tilts its neighbours
    turned.offsets[0].offset = offset;
    parameters_.driver.key_poses = {linear({turned})};
    const Character character = bound();
    for (const double share : {0.0, 0.5, 1.0}) {
      const double angle = std::atan(share * std::tan(glm::radians(glm::length(turn))));
      const glm::dmat3 expected(glm::rotate(glm::dmat4(1), angle, glm::normalize(turn)));
      const glm::dmat3 off = glm::dmat3(frame_of(character, 90 * static_cast<float>(share))) - expected;
      for (int c = 0; c < 3; ++c) EXPECT_LT(glm::length(off[c]), 1e-5) << share;
    }
    const auto joints = bent(model_, 90);
    parameters_.driver.key_poses[0].poses[0].turns.clear();
    if (offset != glm::vec3(0)) {
      EXPECT_GT(test::farthest(test::posed(character, joints, "tube"), test::posed(bound(), joints, "tube")), 0.05f);
    }
  }
  parameters_.driver.key_poses = {linear({turned})};
  parameters_.mode = SurfaceFfdParameters::Mode::kBasic;
  EXPECT_THAT(error(), HasSubstr("turns of key poses need the extended mode"));
  parameters_.driver.key_poses[0].poses[0].turns = {{kLimbVertex, {0, 90, 0}}};
  EXPECT_THAT(error(), HasSubstr("pose 0: the turn of vertex 80 is not less than 90 degrees"));
  parameters_.driver.key_poses[0].poses[0].turns = {{9999, {0, 9, 0}}};
  EXPECT_THAT(error(), HasSubstr("pose 0: turns vertex 9999 of the "));
}

TEST_F(KeyPoses, OfAControlFollowItsValue) {
  const glm::vec3 other(-0.3f, 0, 0.1f);
  KeyPoseSet set{.poses = {key({}), key({}, other)}, .control = "tense"};
  set.poses[0].at = 2;
  set.poses[1].at = -1;
  parameters_.driver.key_poses = {set};
  const Character character = bound();
  const std::vector<glm::mat4> rest = bent(model_, 0);
  const glm::vec3 still = test::posed(character, rest, "cage")[kLimbVertex];
  const std::pair<float, glm::vec3> expected[] = {
      {0.0f, glm::vec3(0)}, {1.5f, 0.75f * kKeyOffset}, {3.0f, kKeyOffset}, {-0.5f, 0.5f * other}, {-4.0f, other}};
  for (const auto& [value, offset] : expected) {
    Evaluator evaluator(character);
    evaluator.pose(rest);
    evaluator.control(character->find_control("cage/tense").value(), value);
    evaluator.evaluate();
    const glm::vec3 moved = test::positions_of(evaluator, character, "cage")[kLimbVertex] - still;
    EXPECT_LT(glm::distance(moved, offset), kTubeTolerance) << value;
  }
  parameters_.driver.key_poses[0].poses[0].at = 0;
  EXPECT_THAT(error(), HasSubstr("key pose set 0: keys must be at different values, none at 0, which adds nothing"));
}

// The muscle lies along x; as joint 1 moves along it, the line is `stretch` times as long.
TEST_F(KeyPoses, OfAMuscleFollowItsStretch) {
  KeyPoseSet set{.poses = {key({})}, .muscle = "muscle"};
  set.poses[0].at = 0.5f;
  parameters_.driver.key_poses = {set};
  Rig rig = test::rig_of(parameters_, "tube");
  rig.muscles = {{.name = "muscle", .from = {"joint0", {}}, .to = {"joint1", {}}, .radius = 0.3f}};
  const Character character = test::bound(model_, rig).character;
  const auto at = [&](float stretch) {
    std::vector<glm::mat4> joints = bent(model_, 0);
    joints[1][3].x *= stretch;
    return test::posed(character, joints, "cage")[kLimbVertex] - glm::vec3(joints[1][3]);
  };
  for (const float stretch : {1.2f, 1.0f, 0.9f, 0.7f, 0.5f, 0.4f}) {
    const float weight = glm::clamp((1 - stretch) / 0.5f, 0.0f, 1.0f);
    EXPECT_LT(glm::distance(at(stretch) - at(1), weight * kKeyOffset), 5 * kTubeTolerance) << stretch;
  }
  rig.layers[0].deformer.get<SurfaceFfdParameters>().driver.key_poses[0].muscle = "mussel";
  EXPECT_THAT(test::bind_error(model_, rig), HasSubstr("there is no muscle 'mussel'"));
}

class RbfKeyPoses : public KeyPoses {
 protected:
  RbfKeyPoses() { model_ = test::make_tube_in_cage({.joints = 3}); }

  // Vertex 80 follows only joint 2.
  KeyPoseSet set_{{about_z("joint1"), about_z("joint2")},
                  KeyInterpolation::kRbf,
                  {key({90, 0}, {0.3f, 0, 0}), key({0, 90}, {0, 0.4f, 0}), key({90, 90}, {0, 0, 0.5f}),
                   key({-50, 20}, {0.1f, 0.1f, 0})}};
};

TEST_F(RbfKeyPoses, AreExactAtTheirKeysAndNothingAtRest) {
  parameters_.driver.key_poses = {set_};
  expect_offset(glm::vec3(0), 0, 0);
  for (const KeyPose& pose : set_.poses) expect_offset(pose.offsets[0].offset, pose.degrees[0], pose.degrees[1]);
}

TEST_F(RbfKeyPoses, AreSmoothBetweenAndGoneFarAway) {
  parameters_.driver.key_poses = {set_};
  glm::vec3 last = offset_at(0, 0);
  for (int degrees = 2; degrees <= 90; degrees += 2) {
    const auto angle = static_cast<float>(degrees);
    const glm::vec3 next = offset_at(angle, angle);
    EXPECT_LT(glm::distance(last, next), 0.05f) << degrees;
    last = next;
  }
  EXPECT_LT(glm::length(offset_at(-175, -175)), 0.05f);
}

// ----------------------------------------------------------------------------------------------------- morph targets

class MorphTargets : public KeyPoses {
 protected:
  MorphTargets() {
    Mesh& cage = model_.meshes[1];
    for (const char* name : {"bulge", "smile"}) {
      MorphTarget target{name, std::vector(cage.positions.size(), glm::vec3(0)), 0.0f};
      for (std::size_t v = 0; v < cage.positions.size(); ++v) {
        if (cage.positions[v].x > 5) target.offsets[v] = name[0] == 'b' ? kKeyOffset : glm::vec3(0, 0, 1);
      }
      cage.morph_targets.push_back(target);
    }
  }
};

TEST_F(MorphTargets, AreKeyPoses) {
  parameters_.driver.key_poses = {linear({{{90}, "bulge", {{kLimbVertex, {1, 0, 0}}}}})};
  expect_offset(0.5f * (kKeyOffset + glm::vec3(1, 0, 0)), 45);
  EXPECT_LT(glm::distance(offset_at(90, 0, kLimbVertex + 1), kKeyOffset), kTubeTolerance);
  const Character character = bound();
  ASSERT_EQ(character->controls.size(), 1u) << "what key poses use is no control";
  EXPECT_EQ(character->controls[0].name, "cage/smile");
}

TEST_F(MorphTargets, AreControls) {
  const Character character = bound();
  ASSERT_EQ(character->controls.size(), 2u);
  EXPECT_EQ(character->find_control("cage/bulge"), 0u);
  EXPECT_EQ(character->find_control("cage/grin"), std::nullopt);
  EXPECT_EQ(character->controls[1].target, 1u);
  EXPECT_EQ(character->input_count, 2u);
  Evaluator evaluator(character);
  evaluator.control(0, 0.5f);
  evaluator.control(1, -2.0f);
  evaluator.evaluate();
  EXPECT_LT(glm::distance(test::positions_of(evaluator, character, "cage")[kLimbVertex],
                          model_.meshes[1].positions[kLimbVertex] + 0.5f * kKeyOffset - glm::vec3(0, 0, 2)),
            kTubeTolerance);
  EXPECT_LT(glm::distance(test::positions_of(evaluator, character, "cage")[0], model_.meshes[1].positions[0]),
            kTubeTolerance);
}

TEST_F(MorphTargets, StayControlsNextToThoseOfKeyPoses) {
  parameters_.driver.key_poses = {{.poses = {key({})}, .control = "puff"}};
  parameters_.driver.key_poses[0].poses[0].at = 1;
  const Character character = bound();
  ASSERT_EQ(character->controls.size(), 3u);
  for (const char* name : {"cage/puff", "cage/bulge", "cage/smile"}) EXPECT_TRUE(character->find_control(name)) << name;
  parameters_.driver.key_poses[0].control = "smile";
  EXPECT_THAT(error(), HasSubstr("the driver 'cage': the control 'smile' has the name of a morph target"));
}

TEST_F(MorphTargets, StandAtRestAtTheModelsWeight) {
  model_.meshes[1].morph_targets[0].weight = 0.5f;
  const Character character = bound();
  EXPECT_EQ(character->controls[0].rest, 0.5f);
  const glm::vec3 base = model_.meshes[1].positions[kLimbVertex];
  const auto vertex_at = [&](std::optional<float> value) {
    Evaluator evaluator(character);
    if (value) evaluator.control(0, *value);
    evaluator.evaluate();
    if (!value) {
      EXPECT_LT(test::worst_distance(model_.meshes[0].positions, test::positions_of(evaluator, character, "tube"),
                                     test::by_matrix(glm::mat4(1))),
                kTubeTolerance)
          << "the skin is bound to the driver as it rests";
    }
    return test::positions_of(evaluator, character, "cage")[kLimbVertex];
  };
  EXPECT_LT(glm::distance(vertex_at({}), base + 0.5f * kKeyOffset), kTubeTolerance);
  EXPECT_LT(glm::distance(vertex_at(0.5f), base + 0.5f * kKeyOffset), kTubeTolerance);
  EXPECT_LT(glm::distance(vertex_at(0.0f), base), kTubeTolerance);
  EXPECT_LT(glm::distance(vertex_at(1.0f), base + kKeyOffset), kTubeTolerance);
}

// A morph target that turns the driver rigidly turns the skin rigidly too, although no function gives the turn of its
// vertices' frames.
TEST_F(MorphTargets, TurnTheSkinWithTheDriver) {
  Mesh& cage = model_.meshes[1];
  cage.morph_targets.pop_back();
  const glm::mat4 turn = glm::rotate(glm::mat4(1), 0.7f, glm::vec3(1, 0, 0));
  for (std::size_t v = 0; v < cage.positions.size(); ++v) {
    cage.morph_targets[0].offsets[v] = glm::vec3(turn * glm::vec4(cage.positions[v], 1)) - cage.positions[v];
  }
  const Character character = bound();
  Evaluator evaluator(character);
  evaluator.control(0, 1.0f);
  evaluator.evaluate();
  EXPECT_LT(test::worst_distance(model_.meshes[0].positions, test::positions_of(evaluator, character, "tube"),
                                 test::by_matrix(turn)),
            5 * kTubeTolerance);
}

// The model's clip keeps the channels of targets that drive, and loses the others.
TEST_F(MorphTargets, FollowClips) {
  Clip clip;
  clip.name = "talk";
  clip.duration = 1;
  clip.morph_channels.push_back({"cage", 1, Interpolation::kLinear, {0, 1}, {0, 1}});
  clip.morph_channels.push_back({"tube", 0, Interpolation::kLinear, {0, 1}, {0, 1}});
  model_.clips.push_back(clip);
  const Character character = bound();
  ASSERT_EQ(character->clips[0].morph_channels.size(), 1u);
  EXPECT_EQ(character->clips[0].morph_channels[0].mesh, "cage");
  EXPECT_EQ(character->clips[0].morph_channels[0].target, 1u);
}

// ------------------------------------------------------------------------------------------ welded, refined drivers

TEST_F(MorphTargets, AreCarriedToRefinedVertices) {
  parameters_.driver.refine = {{{}, 1}};
  const Character character = bound();
  const Mesh& source = model_.meshes[1];
  EXPECT_GT(test::mesh_of(character, "cage").vertex_count(), 3 * source.positions.size());
  Evaluator evaluator(character);
  evaluator.evaluate();
  const std::vector<glm::vec3> rest = test::positions_of(evaluator, character, "cage");
  evaluator.control(0, 1.0f);
  evaluator.evaluate();
  const std::vector<glm::vec3> posed = test::positions_of(evaluator, character, "cage");
  std::size_t between = 0;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    const glm::vec3 moved = posed[v] - rest[v];
    // Rings 8 and on are beyond x = 5; vertices half way to ring 8, at 5, have half.
    const float share = rest[v].x > 5.1f ? 1.0f : rest[v].x > 4.9f ? 0.5f : 0.0f;
    between += share == 0.5f ? 1 : 0;
    ASSERT_LT(glm::distance(moved, share * kKeyOffset), kTubeTolerance) << v << " at x " << rest[v].x;
  }
  EXPECT_GT(between, 8u);
}

TEST_F(MorphTargets, AreCarriedToWeldedVertices) {
  Mesh& cage = model_.meshes[1];
  const Mesh soup = test::split(cage);
  const std::size_t welded_count = cage.positions.size();
  const glm::vec3 keyed_place = soup.positions[400];
  cage = soup;
  parameters_.driver.weld = 1e-4f;
  parameters_.driver.key_poses = {linear({key({90}, {0, 1, 0}, 400)})};
  for (std::uint32_t v = 0; v < soup.positions.size(); ++v) {  // all copies: any of them may be kept
    if (soup.positions[v] == keyed_place && v != 400) {
      parameters_.driver.key_poses[0].poses[0].offsets.push_back({v, {0, 1, 0}});
    }
  }
  const Character character = bound();
  const CharacterMesh& mesh = test::mesh_of(character, "cage");
  ASSERT_EQ(mesh.vertex_count(), welded_count);
  Evaluator evaluator(character);
  evaluator.control(0, 1.0f);
  evaluator.pose(bent(model_, 90));
  evaluator.evaluate();
  const std::uint32_t first = mesh.first_offset_vertex;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    const glm::vec3 rest = mesh.binding.points[v];
    const glm::vec3 expected =
        (rest.x > 5 ? kKeyOffset : glm::vec3(0)) + (rest == keyed_place ? glm::vec3(0, 1, 0) : glm::vec3(0));
    const glm::vec3 offset =
        v < first ? glm::vec3(0) : affine_origin(evaluator.palette()[*mesh.offset_entry + v - first]);
    ASSERT_LT(glm::distance(offset, expected), kTubeTolerance) << v;
  }
}

// ------------------------------------------------------------------------------------------------------------ errors

TEST_F(KeyPoses, ErrorsNameTheSetAndThePose) {
  const auto with = [&](KeyPoseSet set) {
    parameters_.driver.key_poses = {linear({key({10})}), std::move(set)};
    return error();
  };
  const std::string set = "layer 0 (surface-ffd): the driver 'cage': key pose set 1";
  EXPECT_EQ(with({{about_z("joint11")}, KeyInterpolation::kLinear, {key({90})}}),
            set + ": there is no joint 'joint11'; did you mean 'joint1'?");
  EXPECT_EQ(with({{about_z("joint0")}, KeyInterpolation::kLinear, {key({90})}}),
            set + ": joint 'joint0' has no parent to turn against");
  EXPECT_EQ(with({{{"joint1", {0, 0, 0}}}, KeyInterpolation::kLinear, {key({90})}}),
            set + ": an axis has no direction");
  EXPECT_EQ(with({{}, KeyInterpolation::kLinear, {key({})}}), set + ": has 0 angles; linear interpolation takes 1");
  EXPECT_EQ(with({{about_z("joint0"), about_z("joint1")}, KeyInterpolation::kLinear, {key({1, 2})}}),
            set + ": has 2 angles; linear interpolation takes 1");
  EXPECT_EQ(with({std::vector(9, about_z("joint1")), KeyInterpolation::kRbf, {key(std::vector(9, 1.0f))}}),
            set + ": has 9 angles; rbf interpolation takes 1 to 8");
  EXPECT_EQ(with(linear({})), set + ": has no poses");
  EXPECT_EQ(with(linear({key({10}), key({20, 30})})), set + ": pose 1 has 2 angles, and needs 1");
  for (const float degrees : {-180.0f, 181.0f, 720.0f}) {
    EXPECT_THAT(with(linear({key({degrees})})), HasSubstr(set + ": pose 0 has an angle outside -180 to 180 degrees"));
  }
  EXPECT_THAT(with(linear({key({0})})), HasSubstr(set + ": pose 0 must not be at rest"));
  EXPECT_EQ(with(linear({key({10}), key({20}), key({10})})), set + ": poses 0 and 2 have the same angles");
  EXPECT_THAT(with(linear({key({30}), key({30.000002f})})), HasSubstr("too close for any weights to separate"));
  EXPECT_THAT(with({{about_z("joint1")}, KeyInterpolation::kRbf, {key({90}), key({90.00001f})}}),
              HasSubstr(set + ": two poses, or a pose and rest, are too close for any weights to separate"));
  EXPECT_EQ(with(linear({key({10}), key({20}, kKeyOffset, 104)})),
            set + ", pose 1: offsets vertex 104 of the 104 of the mesh 'cage'");
  EXPECT_EQ(with(linear({{{10}, "bulge", {}}})), set + ", pose 0: the mesh 'cage' has no morph target 'bulge'");
  model_.meshes[1].morph_targets.push_back({"bulge", std::vector(104, kKeyOffset), 0.0f});
  EXPECT_THAT(with(linear({{{10}, "buldge", {}}})), HasSubstr("no morph target 'buldge'; did you mean 'bulge'?"));
  EXPECT_EQ(with(linear({{{10}, "bulge", {}}})), "bound");
}

// A model made in memory may be wrong.
TEST_F(MorphTargets, OfTheWrongSizeAreRefused) {
  model_.meshes[1].morph_targets[0].offsets.pop_back();
  EXPECT_THAT(error(), HasSubstr("mesh 'cage': morph target 'bulge'"));
  model_.meshes[1].morph_targets[0].offsets.push_back(glm::vec3(std::numeric_limits<float>::quiet_NaN()));
  EXPECT_THAT(error(), HasSubstr("mesh 'cage': morph target 'bulge'"));
  model_.meshes[1].morph_targets[0].offsets.back() = glm::vec3(0);
  model_.meshes[1].morph_targets[0].weight = std::numeric_limits<float>::infinity();
  EXPECT_THAT(error(), HasSubstr("mesh 'cage': morph target 'bulge'"));
}

}  // namespace
}  // namespace pelt
