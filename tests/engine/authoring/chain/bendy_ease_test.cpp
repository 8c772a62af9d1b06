// SPDX-License-Identifier: MIT
// Tests the ease of bendy bones: how a curve leaves and reaches their joints, straight and bent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <span>
#include <tuple>

#include "engine/authoring/chain/bendy.h"
#include "tests/engine/authoring/chain/bendy_tube.h"

namespace pelt::chain {
namespace {

using testing::Contains;
using testing::HasSubstr;

PosedCurve posed_curve(const Settled& settled, const std::vector<glm::mat4>& joints) {
  const std::vector<std::uint32_t> inputs(settled.at_bind.size(), shared::kNoInput);
  return {settled.curves[0], settled.at_bind, inputs, joints, std::span<const float>()};
}

// Returns |dC| over the fraction of an unbent bone, at its start or its end, for a spline.
double slope(const Settled& settled, std::uint32_t bone, bool at_end) {
  const PosedCurve posed = posed_curve(settled, std::vector<glm::mat4>(settled.at_bind.begin(), settled.at_bind.end()));
  const shared::CurveSpline& spline = posed.part(bone).spline;
  constexpr float kStep = 1e-2f;  // fraction of a span; at both ends the second derivative is small
  const int span = at_end ? spline.spans - 1 : 0;
  const glm::vec3 end = shared::spline_point(spline, span, at_end ? 1.0f : 0.0f);
  const glm::vec3 near = shared::spline_point(spline, span, at_end ? 1 - kStep : kStep);
  const glm::vec3 far = shared::spline_point(spline, span, at_end ? 1 - 2 * kStep : 2 * kStep);
  return glm::length(4.0f * near - 3.0f * end - far) / (2 * kStep) * static_cast<float>(spline.spans);
}

CurveSkeletonParameters by_spline(CurveSkeletonParameters parameters) {
  parameters.frames = CurveFrames::kTangent;
  return parameters;
}

// Returns the same for a cubic Bezier from (0, 0) to (0, length) with handles of ease times a third of the length.
double handle_slope(double ease, double length) {
  const double control[4] = {0, ease * length / 3, length - ease * length / 3, length};
  const auto point = [&](double u) {
    const double v = 1 - u;
    return v * v * v * control[0] + 3 * u * v * v * control[1] + 3 * u * u * v * control[2] + u * u * u * control[3];
  };
  constexpr double kStep = 1e-5;
  return (point(kStep) - point(0)) / kStep;
}

TEST(BendyBones, EaseGivesTheSlopeOfBlendersHandle) {
  const Model model = tube();
  for (const float ease : {0.25f, 0.5f, 1.0f, 1.5f}) {
    BendyBone both;  // a bone between two joints: three spans
    both.ease_in = both.ease_out = ease;
    for (const bool up : {false, true}) {
      const Settled inner = settled(model, by_spline(up ? upwards(with_bone(both)) : with_bone(both)));
      const std::uint32_t bone = up ? 2 : 1;
      EXPECT_NEAR(slope(inner, bone, false), handle_slope(ease, kLength), 2e-3) << ease;
      EXPECT_NEAR(slope(inner, bone, true), handle_slope(ease, kLength), 2e-3) << ease;
    }
    BendyBone out;  // first bone of the curve: two spans
    out.ease_out = ease;
    EXPECT_NEAR(slope(settled(model, by_spline(with_bone(out, "joint0"))), 0, true), handle_slope(ease, kLength), 2e-3)
        << ease;
  }
}

TEST(BendyBones, EasesOfTwoBonesMeetAtTheirMean) {
  BendyBone before;
  before.ease_out = 0.5f;
  BendyBone after;
  after.ease_in = 1.0f;
  CurveSkeletonParameters parameters = with_bone(before);
  parameters.bones.push_back({"joint2", "", {}, true, after});
  const Settled both = settled(tube(), by_spline(parameters));
  EXPECT_NEAR(both.curves[0].anchors[2].float_max, 0.75f * kLength / 3, 1e-6f);
}

TEST(BendyBones, EasesTakeNoMoreThanTheBoneHas) {
  BendyBone values;
  values.ease_in = 10;
  values.ease_out = 5;
  const Settled inner = settled(tube(), by_spline(with_bone(values)));
  // The wanted floats are in the ratio 10 to 5.
  EXPECT_NEAR(inner.curves[0].anchors[1].float_max, kLength * 2 / 3, 1e-5f);
  EXPECT_NEAR(inner.curves[0].anchors[2].float_max, kLength / 3, 1e-5f);
  EXPECT_THAT(inner.notes, Contains(HasSubstr("2 joints have shorter floats than their eases ask for")));
  values.ease_in = values.ease_out = 0;
  const Settled sharp = settled(tube(), by_spline(with_bone(values)));
  EXPECT_GT(sharp.curves[0].anchors[1].float_max, 0);
  EXPECT_LT(sharp.curves[0].anchors[1].float_max, 0.05f);
}

TEST(BendyBones, TheRigsFloatWins) {
  BendyBone values;
  values.ease_in = values.ease_out = 1;
  CurveSkeletonParameters parameters = with_bone(values);
  CurveJoint joint;
  joint.joint = "joint1";
  joint.float_distance = {{0, 0.1f}};
  parameters.joints = {joint};
  const Settled both = settled(tube(), by_spline(parameters));
  EXPECT_EQ(both.curves[0].anchors[1].float_max, 0.1f);
  EXPECT_NEAR(both.curves[0].anchors[2].float_max, kLength / 3, 1e-6f);
  const Settled by_steps = settled(tube(), parameters);
  EXPECT_FALSE(by_steps.curves[0].anchors[1].eases);
  EXPECT_EQ(by_steps.curves[0].anchors[1].float_max, 0.1f);
  EXPECT_TRUE(by_steps.curves[0].anchors[2].eases);
}

// Returns joints of the tube that bend by `bends` degrees at joints 1 to 3, about axes that lie across it.
std::vector<glm::mat4> bent_joints(const Settled& settled, const std::array<float, kJoints>& bends) {
  std::vector<glm::mat4> joints(settled.at_bind.begin(), settled.at_bind.end());
  glm::mat4 motion(1);
  for (std::uint32_t j = 1; j < kJoints; ++j) {
    motion = motion * test::turn_about(joints[j][3], bends[j], j == 2 ? glm::vec3(0, 1, 0) : glm::vec3(0, 0, 1));
    joints[j] = motion * joints[j];
  }
  return joints;
}

// Returns the tangent, of unit length, that Blender gives the curve at anchor i. `before_bends`, `after_bends`: false
// for a bone of one segment.
glm::dvec3 tangent_of(std::span<const glm::dvec3> ends, std::size_t i, bool before_bends, bool after_bends) {
  const glm::dvec3 coming = i > 0 ? glm::normalize(ends[i] - ends[i - 1]) : glm::normalize(ends[1] - ends[0]);
  const glm::dvec3 going = i + 1 < ends.size() ? glm::normalize(ends[i + 1] - ends[i]) : coming;
  if (!before_bends) return coming;
  return after_bends ? glm::normalize(coming + going) : going;
}

// Expects the places along a bone of a bent tube to be those of Blender's cubic Bezier curve, and the frames to follow
// its slope within `degrees`.
void expect_bezier(const Settled& settled, const std::array<float, kJoints>& bends, std::size_t bone,
                   const std::array<double, 2>& eases, const std::array<glm::dvec3, 2>& tangents, double degrees) {
  const std::vector<glm::mat4> joints = bent_joints(settled, bends);
  const PosedCurve posed = posed_curve(settled, joints);
  const auto end = [&](std::size_t b) { return glm::dvec3(joints[b][3]); };
  const glm::dvec3 along = end(bone + 1) - end(bone);
  const auto handle = [&](std::size_t side) {
    const double longer = 2 / (1 + std::cos(glm::radians(bends[bone + side]) / 2));
    return tangents[side] * (eases[side] * longer * glm::length(along) / 3);
  };
  const glm::dvec3 control[] = {end(bone), end(bone) + handle(0), end(bone + 1) - handle(1), end(bone + 1)};
  for (int k = 0; k <= 16; ++k) {
    const double u = k / 16.0;
    const double v = 1 - u;
    const glm::dvec3 point =
        v * v * v * control[0] + 3 * u * v * v * control[1] + 3 * u * u * v * control[2] + u * u * u * control[3];
    const glm::dvec3 slope =
        v * v * (control[1] - control[0]) + 2 * u * v * (control[2] - control[1]) + u * u * (control[3] - control[2]);
    const Affine frame = posed.frame(bone, static_cast<float>(u));
    expect_near(affine_origin(frame), point, 1e-5f, "place");
    const double cosine = glm::dot(glm::normalize(glm::dvec3(affine_axes(frame)[0])), glm::normalize(slope));
    EXPECT_LE(glm::degrees(std::acos(std::min(cosine, 1.0))), degrees) << u;
  }
}

std::vector<glm::dvec3> places_of(const std::vector<glm::mat4>& joints) {
  std::vector<glm::dvec3> ends;
  for (const glm::mat4& joint : joints) ends.emplace_back(joint[3]);
  return ends;
}

TEST(BendyBones, AutomaticFramesFollowBlendersCurve) {
  for (const auto& [in, out, degrees] : {std::tuple(1.0f, 1.0f, 2.0), {0.5f, 2.0f, 5.0}, {2.5f, 0.25f, 7.0}}) {
    BendyBone values;
    values.ease_in = in;
    values.ease_out = out;
    CurveSkeletonParameters parameters = with_bone(values);
    parameters.bones.push_back({"joint0", "", {}, true, values});
    parameters.bones.push_back({"joint2", "", {}, true, values});
    const Settled bent = settled(tube(), parameters);
    const std::array<float, kJoints> bends{0, 40, -25, 60};
    const std::vector<glm::dvec3> ends = places_of(bent_joints(bent, bends));
    expect_bezier(bent, bends, 1, {in, out}, {tangent_of(ends, 1, true, true), tangent_of(ends, 2, true, true)},
                  degrees);
  }
}

TEST(BendyBones, AutomaticFramesDoNotJumpAtAJoint) {
  constexpr float kBeside = 1e-5f;
  for (const float ease : {0.0f, 0.1f, 1.0f, 10.0f}) {
    BendyBone values;
    values.ease_in = values.ease_out = ease;
    const Settled bent = settled(tube(), with_bone(values));
    const PosedCurve posed = posed_curve(bent, bent_joints(bent, {0, 40, -25, 60}));
    for (std::size_t bone = 0; bone + 1 < bent.curves[0].bone_count(); ++bone) {
      const Affine before = posed.frame(bone, 1 - kBeside), after = posed.frame(bone + 1, kBeside);
      expect_near(affine_origin(before), affine_origin(after), 1e-3f, "place");
      for (int c = 0; c < 3; ++c) expect_near(affine_axes(before)[c], affine_axes(after)[c], 1e-2f, "axis");
    }
  }
}

TEST(BendyBones, BesideAStiffBoneTheBendyOneTakesAllOfTheBend) {
  BendyBone values;
  values.ease_in = values.ease_out = 1;
  CurveSkeletonParameters parameters = with_bone(values);
  BendyBone stiff;
  stiff.segments = 1;
  parameters.bones.push_back({"joint0", "", {}, true, stiff});
  parameters.bones.push_back({"joint2", "", {}, true, stiff});
  const Settled bent = settled(tube(), parameters);
  const std::array<float, kJoints> bends{0, 30, -20, 0};
  const std::vector<glm::dvec3> ends = places_of(bent_joints(bent, bends));
  expect_bezier(bent, bends, 1, {1, 1}, {tangent_of(ends, 1, false, true), tangent_of(ends, 2, true, false)}, 4);
  const PosedCurve posed = posed_curve(bent, bent_joints(bent, bends));
  expect_near(affine_origin(posed.frame(0, 0.75f)), {0.75f * kLength, 0, 0}, 1e-5f, "the stiff bone");
}

TEST(BendyBones, EasesAreHeldBelowWhereTheCurveTurnsBack) {
  BendyBone values;
  values.ease_in = 10;
  values.ease_out = 0;
  const Settled held = settled(tube(), with_bone(values));
  EXPECT_EQ(*held.curves[0].anchors[1].eases, glm::vec2(2.9f));
  EXPECT_EQ(*held.curves[0].anchors[2].eases, glm::vec2(0.05f));
  EXPECT_THAT(held.notes, Contains(HasSubstr("1 joints have an ease above 2.9")));
  const Model model = tube();
  EXPECT_LE(test::farthest(moved_tube(model, with_bone(values)), model.meshes[0].positions), 4e-6f);
}

}  // namespace
}  // namespace pelt::chain
