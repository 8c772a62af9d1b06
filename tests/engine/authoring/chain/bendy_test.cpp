// SPDX-License-Identifier: MIT
#include "engine/authoring/chain/bendy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>
#include <set>

#include "tests/engine/authoring/chain/bendy_tube.h"

namespace pelt::chain {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::byte> bytes(const Model& model, const CurveSkeletonParameters& parameters) {
  return test::bytes_without_rig(test::bound(model, test::rig_of(parameters)).character);
}

glm::vec3 turned(const glm::vec3& p, float degrees) {
  return glm::vec3(glm::rotate(glm::mat4(1), glm::radians(degrees), glm::vec3(1, 0, 0)) * glm::vec4(p, 1));
}

float radius(const glm::vec3& p) { return std::hypot(p.y, p.z); }

// ---- Neutral values

TEST(BendyBones, NeutralValuesChangeNothing) {
  const Model model = tube();
  const std::vector<std::byte> without = bytes(model, {});
  EXPECT_EQ(bytes(model, with_bone({})), without);
  BendyBone segmented;
  segmented.segments = 8;
  EXPECT_EQ(bytes(model, with_bone(segmented)), without);
  Model brought = tube();
  brought.bendy_bones = {{1, segmented}, {2, {}}};
  EXPECT_EQ(bytes(brought, {}), without);
  BendyBone scaled;  // evenly along the bone, so nothing shifts
  scaled.scale_in.y = scaled.scale_out.y = 3;
  EXPECT_EQ(bytes(model, with_bone(scaled)), without);
}

TEST(BendyBones, OneSegmentDoesNotBend) {
  BendyBone values;
  values.segments = 1;
  values.ease_in = 2;
  values.roll_out = 90;
  values.curve_in = {1, 0};
  values.scale_out = {2, 3, 4};
  const Model model = tube();
  EXPECT_EQ(bytes(model, with_bone(values)), bytes(model, {}));
  EXPECT_THAT(notes(model, with_bone(values)), Contains(HasSubstr("1 have one segment")));
}

// ---- Roll

TEST(BendyBones, RollTurnsTheSectionAlongTheBone) {
  const Model model = tube();
  const std::vector<glm::vec3>& rest = model.meshes[0].positions;
  BendyBone values;
  values.roll_out = 90;
  for (const CurveSkeletonParameters& parameters : {with_bone(values), upwards(with_bone(values))}) {
    const std::vector<glm::vec3> posed = moved_tube(model, parameters);
    for (std::uint32_t k = 0; k < kAround; ++k) {
      for (const auto& [x, degrees] :
           {std::pair(1.0f, 0.0f), {2.0f, 0.0f}, {3.0f, 45.0f}, {4.0f, 90.0f}, {5.0f, 0.0f}}) {
        expect_near(posed[at(x, k)], turned(rest[at(x, k)], degrees), 2e-3f, "roll out");
      }
    }
  }
  values = {};
  values.roll_in = -60;
  values.roll_out = 120;
  const std::vector<glm::vec3> posed = moved_tube(model, with_bone(values));
  for (const auto& [x, degrees] : {std::pair(2.0f, -60.0f), {2.5f, -15.0f}, {3.0f, 30.0f}, {4.0f, 120.0f}}) {
    expect_near(posed[at(x, 1)], turned(rest[at(x, 1)], degrees), 2e-3f, "roll in and out");
  }
}

// The skin must not tear between two bones, whatever their values.
TEST(BendyBones, SkinIsContinuousWhereBonesMeet) {
  const Model model = tube();
  BendyBone first;
  first.roll_out = 90;
  first.scale_out = {0.5f, 1, 0.5f};
  BendyBone second;
  second.roll_in = 30;
  second.scale_in = {1.5f, 1, 1.5f};
  CurveSkeletonParameters parameters = with_bone(first);
  parameters.bones.push_back({"joint2", "", {}, true, second});
  const std::vector<glm::vec3> posed = moved_tube(model, parameters);
  expect_near(posed[at(4, 1)], turned(model.meshes[0].positions[at(4, 1)], 60), 2e-3f, "the mean");
  EXPECT_THAT(notes(model, parameters),
              Contains(HasSubstr("1 joints are between bones with different rolls or scales")));
  const Settled both = settled(model, parameters);
  for (std::size_t joint = 1; joint < both.curves[0].spans.size(); ++joint) {
    const shared::CurveShape before = posed_shape(both.curves[0], joint - 1, 1);
    const shared::CurveShape after = posed_shape(both.curves[0], joint, 0);
    EXPECT_FLOAT_EQ(before.twist, after.twist);
    EXPECT_FLOAT_EQ(before.width_y, after.width_y);
    EXPECT_FLOAT_EQ(before.width_z, after.width_z);
  }
}

// ---- Scale

TEST(BendyBones, ScaleWidensTheSection) {
  const Model model = tube();
  const std::vector<glm::vec3>& rest = model.meshes[0].positions;
  BendyBone values;
  values.scale_out = {0.5f, 1, 0.5f};
  for (const CurveSkeletonParameters& parameters : {with_bone(values), upwards(with_bone(values))}) {
    const std::vector<glm::vec3> posed = moved_tube(model, parameters);
    for (std::uint32_t k = 0; k < kAround; ++k) {
      EXPECT_NEAR(radius(posed[at(2, k)]), 0.5f, 1e-3f);
      EXPECT_NEAR(radius(posed[at(3, k)]), 0.375f, 1e-3f);
      EXPECT_NEAR(radius(posed[at(4, k)]), 0.25f, 1e-3f);
      EXPECT_NEAR(radius(posed[at(5, k)]), 0.5f, 1e-3f);
    }
  }
  // x and z are those of the bone: x = y x z, here -y of the model, and z.
  values.scale_out = {0.5f, 1, 2};
  for (const CurveSkeletonParameters& parameters : {with_bone(values), upwards(with_bone(values))}) {
    const std::vector<glm::vec3> posed = moved_tube(model, parameters);
    for (std::uint32_t k = 0; k < kAround; ++k) {
      const glm::vec3 p = rest[at(4, k)];
      expect_near(posed[at(4, k)], {p.x, 0.5f * p.y, 2 * p.z}, 2e-3f, "scale out");
    }
  }
}

TEST(BendyBones, LengthwiseScaleMovesSectionsAlongTheBone) {
  const Model model = tube();
  BendyBone values;
  values.scale_in.y = 4;
  // Blender lays segments end to end, whose lengths go from 4 to 1 by equal factors. This is the middle of 4096 of
  // them.
  const auto middle = [] {
    double half = 0;
    double all = 0;
    for (int i = 0; i < 4096; ++i) {
      const double length = std::exp(std::log(4.0) * (1 - i / 4095.0));
      all += length;
      if (i < 2048) half += length;
    }
    return static_cast<float>(half / all);
  };
  for (const CurveSkeletonParameters& parameters : {with_bone(values), upwards(with_bone(values))}) {
    const std::vector<glm::vec3> posed = moved_tube(model, parameters);
    EXPECT_NEAR(posed[at(2, 0)].x, 2, 1e-3f);
    EXPECT_NEAR(posed[at(3, 0)].x, 2 + kLength * middle(), 1e-3f);
    EXPECT_NEAR(posed[at(4, 0)].x, 4, 1e-3f);
  }
}

// ---- Curve

TEST(BendyBones, CurveOffsetsLiftTheCurveAsFarAsBlenders) {
  for (const bool up : {false, true}) {
    BendyBone values;
    values.curve_in = {0.3f, 0};  // along x of the bone, -y of the model
    CurveSkeletonParameters parameters = with_bone(values);
    if (up) parameters = upwards(parameters);
    const Settled lifted = settled(tube(), parameters);
    const RestCurves rest = make_rest_curves(lifted.curves, lifted.at_bind);
    float lift = 0;
    for (int k = 0; k <= 100; ++k) {
      lift = std::max(lift, -affine_origin(rest.frame(0, up ? 2 : 1, static_cast<float>(k) / 100)).y);
    }
    EXPECT_NEAR(lift, 4.0f / 9 * 0.3f, 2e-3f);
  }
  BendyBone out;
  out.curve_out = {0, -0.2f};
  const Settled lifted = settled(tube(), with_bone(out));
  expect_near(lifted.curves[0].anchors[2].before, {0, 0, -0.2f * 2 / 3}, 1e-6f);
  expect_near(lifted.curves[0].anchors[1].after, {0, 0, 0}, 0);
}

TEST(BendyBones, CurveOffsetsAreInUnitsOfTheJointsSpace) {
  Model model = tube();
  for (BoundJoint& bound : model.bound_joints)
    bound.inverse_bind = glm::scale(glm::mat4(1), glm::vec3(100)) * bound.inverse_bind;
  BendyBone out;
  out.curve_out = {0, 20};
  expect_near(settled(model, with_bone(out)).curves[0].anchors[2].before, {0, 0, 0.2f * 2 / 3}, 1e-5f);
}

// ---- Whose bones

TEST(BendyBones, OfTheModelHoldUnlessTheRigSaysOtherwise) {
  Model model = tube();
  BendyBone of_model;
  of_model.roll_out = 90;
  model.bendy_bones = {{1, of_model}, {2, of_model}};
  BendyBone of_rig;
  of_rig.roll_out = 30;
  const Settled both = settled(model, with_bone(of_rig));
  EXPECT_FLOAT_EQ(both.curves[0].spans[1].last.roll, glm::radians(30.0f));
  EXPECT_FLOAT_EQ(both.curves[0].spans[2].last.roll, glm::radians(90.0f));
  EXPECT_EQ(both.curves[0].spans[3].last.roll, 0);
  EXPECT_THAT(both.notes, Contains(HasSubstr("2 bendy bones, 1 of them as in the model")));
  // A bone that the rig names for other settings keeps the bendy bone of the model.
  CurveSkeletonParameters twisted;
  twisted.bones = {{"joint1", "", {}, false, std::nullopt}};
  EXPECT_FLOAT_EQ(settled(model, twisted).curves[0].spans[1].last.roll, glm::radians(90.0f));
}

// A fork, whose right branch continues along the y of its joint.
TEST(BendyBones, OfTheModelAreTheBoneAlongTheJointsY) {
  Model model;
  const auto add = [&](const char* name, std::int32_t parent, const glm::vec3& translation) {
    Joint joint;
    joint.name = name;
    joint.parent = parent;
    joint.rest.translation = translation;
    model.skeleton.joints.push_back(joint);
  };
  add("hips", -1, {0, 0, 0});
  add("chest", 0, {0, 1, 0});
  add("arm", 1, {1, 0.2f, 0});
  add("neck", 1, {0.1f, 1, 0});
  model.meshes.emplace_back().name = "points";
  model.meshes[0].positions = {{0, 0, 0}, {0, 1, 0}, {1, 1.2f, 0}, {0.1f, 2, 0}};
  BendyBone bendy;
  bendy.roll_out = 50;
  model.bendy_bones = {{1, bendy}};
  const Settled fork = settled(model, {});
  for (const Curve& curve : fork.curves) {
    for (std::size_t b = 0; b < curve.spans.size(); ++b) {
      const std::set<std::uint32_t> ends{curve.chain.anchors[b].joint, curve.chain.anchors[b + 1].joint};
      const float rolled = std::abs(curve.spans[b].first.roll) + std::abs(curve.spans[b].last.roll);
      const bool is_neck = ends == std::set<std::uint32_t>({1, 3});
      EXPECT_FLOAT_EQ(rolled, is_neck ? glm::radians(50.0f) : 0.0f) << curve.chain.name;
    }
  }
}

TEST(BendyBones, SayWhatFindsNothingToMove) {
  BendyBone values;
  values.segments = 8;
  values.ease_in = 2;
  values.curve_in = {0.1f, 0};
  EXPECT_THAT(notes(tube(), with_bone(values, "joint0")),
              Contains(AllOf(HasSubstr("1 have segments, which do not count"),
                             HasSubstr("1 have an ease or curve offsets at the end of a curve"))));
  EXPECT_THAT(notes(tube(), {}), Not(Contains(HasSubstr("bendy"))));
}

// The ranges are in the schema.
TEST(BendyBones, RefusesValuesOutOfTheirRange) {
  static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto refused = [](const auto& change) {
    BendyBone values;
    change(values);
    Model model = tube();
    model.bendy_bones = {{1, values}};
    EXPECT_THAT(test::bind_error(model, test::rig_of(CurveSkeletonParameters{})), HasSubstr("joint1"));
    return test::bind_error(tube(), test::rig_of(with_bone(values)));
  };
  EXPECT_THAT(refused([](BendyBone& b) { b.segments = 0; }), HasSubstr("/bendy/segments: "));
  EXPECT_THAT(refused([](BendyBone& b) { b.ease_out = kNan; }), HasSubstr("/bendy/ease_out: "));
  EXPECT_THAT(refused([](BendyBone& b) { b.roll_in = 3601; }), HasSubstr("/bendy/roll_in: "));
  EXPECT_THAT(refused([](BendyBone& b) { b.curve_out.x = 1e30f; }), HasSubstr("/bendy/curve_out/0: "));
  EXPECT_THAT(refused([](BendyBone& b) { b.scale_out.z = -1; }), HasSubstr("/bendy/scale_out/2: "));
  Model model = tube();
  model.bendy_bones = {{99, {}}};
  EXPECT_THAT(test::bind_error(model, test::rig_of(CurveSkeletonParameters{})), HasSubstr("bendy bone at no joint"));
}

}  // namespace
}  // namespace pelt::chain
