// SPDX-License-Identifier: MIT
// Tests the frames along a curve.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "engine/authoring/chain/curve.h"
#include "tests/engine/authoring/chain/turned_curves.h"

namespace pelt::chain {
namespace {

using test::TestCurve;
using test::turn;

TEST(CurveFrame, IsOrthonormalAndContinuous) {
  for (const CurveFrames frames : all_frames()) {
    for (const CurveReference reference : {CurveReference::kHalfSwing, CurveReference::kJoint}) {
      for (const float centre : {0.0f, 0.25f, 1.0f}) {
        TestCurve limb(kSixCrookedJoints);
        limb.curve.frames = frames;
        limb.curve.reference = reference;
        limb.curve.centre = centre;
        const PosedCurve curve = limb.posed(limb.posed_joints(wild_turns(kSixCrookedJoints.size())));
        std::optional<Affine> before;
        for (std::size_t bone = 0; bone < limb.curve.bone_count(); ++bone) {
          for (int k = 0; k <= 100; ++k) {
            const Affine frame = curve.frame(bone, static_cast<float>(k) / 100);
            const glm::dmat3 axes(affine_axes(frame));
            for (int i = 0; i < 3; ++i) {
              EXPECT_NEAR(glm::length(axes[i]), 1, 2e-6);
              EXPECT_NEAR(glm::dot(axes[i], axes[(i + 1) % 3]), 0, 2e-6);
            }
            EXPECT_GT(glm::determinant(axes), 0);
            if (before) {
              const double turned = degrees_between(axis(*before, 1), axis(frame, 1));
              EXPECT_LT(turned, k == 0 ? 0.05 : 12) << bone << ' ' << k;
              EXPECT_LT(glm::distance(origin(*before), origin(frame)), k == 0 ? 1e-5 : 0.03) << bone << ' ' << k;
            }
            before = frame;
          }
        }
      }
    }
  }
}

TEST(CurveFrame, OfEveryKindIsTheSameAtJoints) {
  TestCurve limb(kSixCrookedJoints);
  const std::vector<glm::mat4> joints = limb.posed_joints(wild_turns(kSixCrookedJoints.size()));
  limb.curve.frames = CurveFrames::kTangent;
  const PosedCurve tangent = limb.posed(joints);
  limb.curve.frames = CurveFrames::kEndpoint;
  const PosedCurve endpoint = limb.posed(joints);
  double apart = 0;
  for (std::size_t bone = 0; bone < limb.curve.bone_count(); ++bone) {
    for (const float end : {0.0f, 1.0f}) {
      for (int i = 0; i < 3; ++i) {
        EXPECT_LT(degrees_between(axis(tangent.frame(bone, end), i), axis(endpoint.frame(bone, end), i)), 0.05);
      }
    }
    apart = std::max(apart, degrees_between(axis(tangent.frame(bone, 0.5f), 0), axis(endpoint.frame(bone, 0.5f), 0)));
  }
  EXPECT_GT(apart, 1) << "between joints they differ";
}

// Compares with double reflection in 2000 steps, with the angle that is left spread evenly.
TEST(CurveFrame, TangentIsRotationMinimising) {
  for (const double bend : {30.0, 90.0, 135.0}) {
    SCOPED_TRACE(bend);
    TestCurve limb(straight(5));
    Turns turns(5, kNoTurn);
    for (const int i : {1, 2, 3})
      turns[static_cast<std::size_t>(i)] = turn(bend, {0, std::sin(2.0 * i), std::cos(2.0 * i)});
    const PosedCurve curve = limb.posed(limb.posed_joints(turns));
    for (std::size_t bone = 0; bone < limb.curve.bone_count(); ++bone) {
      constexpr int kSteps = 2000;
      std::vector<glm::dvec3> carried{axis(curve.frame(bone, 0), 1)};
      const auto frame_at = [&](int k) { return curve.frame(bone, static_cast<float>(k) / kSteps); };
      for (int k = 1; k <= kSteps; ++k) {
        // Carry y by the least turn from tangent to tangent.
        const glm::dvec3 x0 = axis(frame_at(k - 1), 0);
        const glm::dvec3 x1 = axis(frame_at(k), 0);
        const glm::dvec3 y = carried.back() - (x0 + x1) * (glm::dot(carried.back(), x1) / (1 + glm::dot(x0, x1)));
        carried.push_back(glm::normalize(y - x1 * glm::dot(x1, y)));
      }
      const Affine last = frame_at(kSteps);
      const double left = glm::radians(degrees_about(axis(last, 0), carried.back(), axis(last, 1)));
      double worst = 0;
      for (int k = 0; k <= kSteps; k += 25) {
        const glm::dvec3 x = axis(frame_at(k), 0);
        const glm::dvec3 expected = glm::angleAxis(left * k / kSteps, x) * carried[static_cast<std::size_t>(k)];
        worst = std::max(worst, degrees_between(axis(frame_at(k), 1), expected));
      }
      EXPECT_LT(worst, 0.5) << bone;
    }
  }
}

TEST(CurveFrame, EndpointInterpolatesAxes) {
  TestCurve limb(kSixCrookedJoints);
  limb.curve.frames = CurveFrames::kEndpoint;
  const PosedCurve curve = limb.posed(limb.posed_joints(wild_turns(kSixCrookedJoints.size())));
  for (std::size_t bone = 0; bone < limb.curve.bone_count(); ++bone) {
    // Twist turns the axes at the joints as well: compare with the pose without twist.
    const Affine first = curve.frame(bone, 0);
    const Affine last = curve.frame(bone, 1);
    for (const float lambda : {0.25f, 0.5f, 0.8f}) {
      const glm::dvec3 x = glm::normalize(glm::mix(axis(first, 0), axis(last, 0), double{lambda}));
      EXPECT_LT(degrees_between(axis(curve.frame(bone, lambda), 0), x), 0.02);
    }
  }
}

// The topmost joint carries the bones on both sides of it, each along its own direction.
TEST(CurveFrame, AStraightHubDoesNotRoll) {
  TestCurve c({{-2, 0, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, 2);
  c.curve.frames = CurveFrames::kAuto;
  const PosedCurve rest = c.posed(c.posed_joints(Turns(5, kNoTurn)));
  for (const glm::dvec3& side : {glm::dvec3(0, 1, 0), glm::dvec3(0, 0, 1), glm::dvec3(0, 1, -1)}) {
    Turns turns(5, kNoTurn);
    turns[1] = turn(4, side);
    turns[3] = turn(-3, side);
    const PosedCurve posed = c.posed(c.posed_joints(turns));
    for (std::size_t bone = 0; bone < c.curve.bone_count(); ++bone) {
      for (const float lambda : {0.0f, 0.5f, 1.0f}) {
        for (const int i : {1, 2}) {
          EXPECT_GT(glm::dot(axis(rest.frame(bone, lambda), i), axis(posed.frame(bone, lambda), i)), 0.99)
              << bone << ' ' << lambda;
        }
      }
    }
  }
}

TEST(CurveFrame, CentreMovesItTowardsTheBone) {
  TestCurve limb(straight(3));
  const std::vector<glm::mat4> joints = limb.posed_joints(Turns{kNoTurn, turn(100, {0, 1, 0}), kNoTurn});
  const PosedCurve on_curve = limb.posed(joints);
  limb.curve.centre = 0.3f;
  const PosedCurve between = limb.posed(joints);
  for (const float lambda : {0.1f, 0.6f, 1.0f}) {
    const glm::dvec3 on_bone = glm::mix(glm::dvec3(joints[0][3]), glm::dvec3(joints[1][3]), double{lambda});
    const glm::dvec3 expected = glm::mix(origin(on_curve.frame(0, lambda)), on_bone, 0.3);
    EXPECT_LT(glm::distance(origin(between.frame(0, lambda)), expected), 2e-6);
  }
}

// Chains with different tops; a limb-to-limb chain has its top in the middle.
class CurveOf : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Tops, CurveOf, testing::Values(0, 2, 5), testing::PrintToStringParamName());

TEST_P(CurveOf, SaidFromItsOtherEndMovesTheSameSkin) {
  for (const CurveFrames frames : all_frames()) {
    for (const CurveReference reference : {CurveReference::kHalfSwing, CurveReference::kJoint}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(frames) << ' ' << static_cast<int>(reference));
      TestCurve limb(kSixCrookedJoints, GetParam());
      limb.curve.frames = frames;
      limb.curve.reference = reference;
      limb.curve.anchors[2].before = {0.02f, 0.04f, 0};
      limb.curve.anchors[3].float_keys = {{0, 0.2f}, {1, 0.4f}};
      limb.curve.spans[3].twist = {{0, 0}, {0.4f, 0.1f}, {1, 1}};
      const TestCurve other = limb.reversed();
      const Turns turns = wild_turns(kSixCrookedJoints.size());
      // posed_joints counts from the top of its own chain, and joints keep their numbers.
      const std::vector<glm::mat4> joints = limb.posed_joints(turns);
      const std::vector<glm::mat4> rest = limb.posed_joints(Turns(kSixCrookedJoints.size(), kNoTurn));
      const PosedCurve curve_at_rest = limb.posed(rest);
      const PosedCurve posed_curve = limb.posed(joints);
      const PosedCurve other_rest = other.posed(rest);
      const PosedCurve other_posed = other.posed(joints);
      for (std::size_t bone = 0; bone < limb.curve.bone_count(); ++bone) {
        for (const float lambda : {0.0f, 0.25f, 0.5f, 0.9f}) {
          const auto moved = [&](const PosedCurve& from, const PosedCurve& to, std::size_t b, float at,
                                 const glm::dvec3& point) {
            const Affine rest_frame = from.frame(b, at);
            const glm::dvec3 local = glm::inverse(glm::dmat3(affine_axes(rest_frame))) * (point - origin(rest_frame));
            const Affine frame = to.frame(b, at);
            return origin(frame) + glm::dmat3(affine_axes(frame)) * local;
          };
          const Affine at_rest = curve_at_rest.frame(bone, lambda);
          for (const int i : {1, 2}) {
            const glm::dvec3 point = origin(at_rest) + 0.3 * axis(at_rest, i);
            const std::size_t opposite = limb.curve.bone_count() - 1 - bone;
            EXPECT_LT(glm::distance(moved(curve_at_rest, posed_curve, bone, lambda, point),
                                    moved(other_rest, other_posed, opposite, 1 - lambda, point)),
                      // The bound is the error of double reflection; automatic steps that overlap turn in the order of
                      // the chain.
                      frames == CurveFrames::kAuto ? 8e-3 : 2e-3)
                << bone << ' ' << lambda;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace pelt::chain
