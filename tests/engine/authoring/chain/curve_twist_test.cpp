// SPDX-License-Identifier: MIT
// Tests twists along a curve and the axis that they are counted from.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/authoring/chain/curve.h"
#include "tests/engine/authoring/chain/turned_curves.h"

namespace pelt::chain {
namespace {

using test::TestCurve;
using test::turn;

// Returns the angles by which frames have turned about x from those of the pose without twist.
std::vector<double> twist_at(const TestCurve& limb, std::span<const glm::mat4> joints, std::span<const float> twists,
                             std::size_t bone, const std::vector<float>& lambdas) {
  const PosedCurve rest = limb.posed(limb.posed_joints(Turns(joints.size(), kNoTurn)));
  const PosedCurve posed = limb.posed(joints, twists);
  std::vector<double> result;
  for (const float lambda : lambdas) {
    const Affine frame = posed.frame(bone, lambda);
    result.push_back(degrees_about(axis(frame, 0), axis(rest.frame(bone, lambda), 1), axis(frame, 1)));
  }
  return result;
}

void expect_angle(double actual, double expected) {
  EXPECT_NEAR(std::remainder(actual - expected, 360.0), 0, 0.05) << "expected " << expected << ", not " << actual;
}

TEST(CurveTwist, AddsUpAlongTheChainAndIsNoneAtTheTop) {
  for (const std::size_t top : {std::size_t{0}, std::size_t{2}, std::size_t{4}}) {
    SCOPED_TRACE(top);
    const TestCurve limb(straight(5), top);
    // Turn of each joint about x against the one before it, counted from the top.
    const double turns[] = {40, 70, 25, -30, 50};
    Turns all;
    for (const double degrees : turns) all.push_back(turn(degrees, {1, 0, 0}));
    const std::vector<glm::mat4> joints = limb.posed_joints(all);
    // The whole chain turns with its top, and each joint by the turns between.
    double expected[5];
    expected[top] = turns[top];
    for (std::size_t i = top + 1; i < 5; ++i) expected[i] = expected[i - 1] + turns[i];
    for (std::size_t i = top; i-- > 0;) expected[i] = expected[i + 1] + turns[i];
    for (std::size_t bone = 0; bone < 4; ++bone) {
      const std::vector<double> twist = twist_at(limb, joints, {}, bone, {0.0f, 0.5f, 1.0f});
      expect_angle(twist[0], expected[bone]);
      expect_angle(twist[1], 0.5 * (expected[bone] + expected[bone + 1]));
      expect_angle(twist[2], expected[bone + 1]);
    }
  }
}

TEST(CurveTwist, OfMoreThanHalfATurnIsToldByThePose) {
  for (const std::size_t top : {std::size_t{0}, std::size_t{2}}) {
    SCOPED_TRACE(top);
    const TestCurve limb(straight(3), top);
    const std::size_t end = top == 0 ? 2 : 0;
    Turns turns(3, kNoTurn);
    turns[end] = turn(270, {1, 0, 0});
    const std::vector<glm::mat4> joints = limb.posed_joints(turns);
    const std::size_t bone = top == 0 ? 1 : 0;
    // The twist is about the direction away from the top.
    const double sign = top == 0 ? 1 : -1;
    const std::pair<double, double> cases[] = {{0, -90},   {-90, -90}, {270, 270},  {250, 270},
                                               {400, 270}, {500, 630}, {-400, -450}};
    for (const auto& [told, taken] : cases) {
      std::vector<float> twists(3, 0.0f);
      twists[end] = static_cast<float>(glm::radians(sign * told));
      expect_angle(twist_at(limb, joints, twists, bone, {0.5f})[0], taken / 2);
      expect_angle(twist_at(limb, joints, twists, bone, {top == 0 ? 1.0f : 0.0f})[0], 270);
    }
    expect_angle(twist_at(limb, joints, {}, bone, {0.5f})[0], -45);
  }
}

// A tip moves with the joint before it, whose twist must not count twice.
TEST(CurveTwist, OfATipIsThatOfItsJoint) {
  for (const bool reversed : {false, true}) {
    SCOPED_TRACE(reversed);
    TestCurve limb(straight(4));
    limb.curve.chain.anchors[3].joint = 2;
    if (reversed) limb = limb.reversed();
    Turns turns(4, kNoTurn);
    turns[2] = turn(270, {1, 0, 0});
    std::vector<glm::mat4> joints = TestCurve(straight(4)).posed_joints(turns);
    std::vector<float> twists(4, 0.0f);
    twists[2] = static_cast<float>(glm::radians(270.0));
    const double sign = reversed ? -1 : 1;
    for (const float lambda : {0.0f, 0.25f, 0.5f, 1.0f}) {
      const PosedCurve rest = limb.posed(TestCurve(straight(4)).posed_joints(Turns(4, kNoTurn)));
      const PosedCurve posed = limb.posed(joints, twists);
      const std::size_t bone = reversed ? 0 : 2;
      const Affine frame = posed.frame(bone, lambda);
      expect_angle(sign * degrees_about(axis(frame, 0), axis(rest.frame(bone, lambda), 1), axis(frame, 1)), 270);
    }
  }
}

TEST(CurveTwist, ArrivesWhereTheDistributionSays) {
  TestCurve limb(straight(3));
  limb.curve.spans[1].twist = {{0, 0}, {0.5f, 0.1f}, {1, 1}};
  const std::vector<glm::mat4> joints = limb.posed_joints(Turns{kNoTurn, kNoTurn, turn(100, {1, 0, 0})});
  for (const bool smooth : {false, true}) {
    limb.curve.spans[1].smooth_twist = smooth;
    const std::vector<double> twist = twist_at(limb, joints, {}, 1, {0.0f, 0.25f, 0.5f, 0.75f, 1.0f});
    expect_angle(twist[0], 0);
    expect_angle(twist[2], 10);
    expect_angle(twist[4], 100);
    if (!smooth) {
      expect_angle(twist[1], 5);
      expect_angle(twist[3], 55);
    }
    EXPECT_TRUE(std::ranges::is_sorted(twist));
  }
}

TEST(CurveTwist, SharesAreMonotoneAndMeetTheirKeys) {
  const std::vector<std::vector<CurveKey>> curves{{},
                                                  {{0, 0}, {1, 1}},
                                                  {{0, 0}, {0.5f, 0}, {0.6f, 1}, {1, 1}},
                                                  {{0, 0}, {0.01f, 0.9f}, {0.02f, 0.91f}, {1, 1}},
                                                  {{0, 0}, {0.3f, 0.3f}, {0.7f, 0.3f}, {1, 1}}};
  for (const std::vector<CurveKey>& keys : curves) {
    for (const bool smooth : {false, true}) {
      CurveSpan span;
      span.twist = keys;
      span.smooth_twist = smooth;
      float before = 0;
      for (int k = 0; k <= 1000; ++k) {
        const float share = twist_share(span, static_cast<float>(k) / 1000);
        EXPECT_GE(share, before - 1e-6f) << k;
        EXPECT_LE(share, 1 + 1e-6f);
        before = share;
      }
      EXPECT_EQ(twist_share(span, 0), 0);
      EXPECT_EQ(twist_share(span, 1), 1);
      for (const CurveKey& key : keys) EXPECT_NEAR(twist_share(span, key.at), key.value, 1e-6);
    }
  }
}

// Returns how far the frame at the middle joint has rolled about the curve, against one that is carried along without
// turning. The joint bends about an axis halfway between y and z.
double roll(CurveReference reference, double bend) {
  TestCurve limb(straight(3));
  limb.curve.reference = reference;
  const std::vector<glm::mat4> joints = limb.posed_joints(Turns{kNoTurn, turn(bend, {0, 1, 1}), kNoTurn});
  const PosedCurve curve = limb.posed(joints);
  glm::dvec3 carried = axis(curve.frame(0, 0), 1);
  constexpr int kSteps = 1000;
  for (int k = 1; k <= kSteps; ++k) {
    const glm::dvec3 x0 = axis(curve.frame(0, static_cast<float>(k - 1) / kSteps), 0);
    const glm::dvec3 x1 = axis(curve.frame(0, static_cast<float>(k) / kSteps), 0);
    carried -= (x0 + x1) * (glm::dot(carried, x1) / (1 + glm::dot(x0, x1)));
  }
  const Affine there = curve.frame(0, 1);
  return std::abs(degrees_about(axis(there, 0), carried, axis(there, 1)));
}

TEST(CurveReferenceAxis, CarriedByHalfTheSwingDoesNotRoll) {
  for (const double bend : {45.0, 90.0, 135.0}) EXPECT_LT(roll(CurveReference::kHalfSwing, bend), 1) << bend;
  EXPECT_NEAR(roll(CurveReference::kJoint, 90), 10, 2);
  EXPECT_NEAR(roll(CurveReference::kJoint, 135), 24, 3);
}

// The y and z of the joints are turned at random about the curve. Another axis is taken if frames would turn by more
// than 90 degrees along a bone.
TEST(CurveReferenceAxis, IsAnotherWhereZRunsAlongTheCurve) {
  const TestCurve limb(straight(8), 0, glm::dvec3(1, 0, 0));
  const PosedCurve curve = limb.posed(limb.posed_joints(Turns(8, kNoTurn)));
  EXPECT_LT(degrees_between(axis(curve.frame(0, 0), 2), glm::dvec3(limb.at_bind()[0][1])), 0.05);
  for (std::size_t bone = 0; bone < 7; ++bone) {
    const glm::dvec3 z = axis(curve.frame(bone, 1), 2);
    const glm::dmat3 joint(limb.at_bind()[bone + 1]);
    const double along = std::max(std::abs(glm::dot(z, joint[0])), std::abs(glm::dot(z, joint[1])));
    EXPECT_NEAR(along, 1, 1e-5) << "an axis of the joint";
    EXPECT_LT(degrees_between(axis(curve.frame(bone, 0), 1), axis(curve.frame(bone, 1), 1)), 90.1) << bone;
  }
  const PosedCurve turned = limb.posed(limb.posed_joints(Turns(8, kNoTurn), rigid_motion()));
  const glm::dvec3 expected = glm::dmat3(rigid_motion()) * axis(curve.frame(1, 0.5f), 1);
  EXPECT_LT(degrees_between(axis(turned.frame(1, 0.5f), 1), expected), 0.01);
}

}  // namespace
}  // namespace pelt::chain
