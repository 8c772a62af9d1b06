// SPDX-License-Identifier: MIT
#include "engine/chain/bendy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>
#include <set>
#include <tuple>

#include <pelt/bind.h>
#include <pelt/curve_skeleton.h>
#include <pelt/evaluate.h>
#include <pelt/pelt_file.h>

#include "engine/chain/attach.h"
#include "engine/curve_skeleton/resolve_curves.h"
#include "tests/support/tube.h"

namespace pelt::chain {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr float kLength = 2;  // metres, of each bone
constexpr std::uint32_t kJoints = 4;
constexpr std::uint32_t kAround = 8;
constexpr std::uint32_t kAlong = 64;

// Returns a tube with joints at x = 0, 2, 4, 6, a tip at 8 and z across: four bones, and a ring every 0.125.
Model tube() {
  test::TubeOptions options;
  options.around = kAround;
  options.along = kAlong;
  options.radius = 0.5f;
  options.length = kLength * kJoints;
  options.joints = kJoints;
  return test::make_tube(options);
}

// Makes the bone that leaves `joint` bendy: by default that from joint1 to joint2, of four in a row.
CurveSkeletonParameters with_bone(const BendyBone& values, const char* joint = "joint1") {
  CurveSkeletonParameters parameters;
  parameters.bones = {{joint, "", {}, true, values}};
  return parameters;
}

// Does the same on a curve that runs up the chain from the tip: its bones are numbered 3, 2, 1, 0.
CurveSkeletonParameters upwards(CurveSkeletonParameters parameters) {
  parameters.automatic = false;
  parameters.curves = {{"up", {"joint3", "joint2", "joint1", "joint0"}, {}, {}}};
  return parameters;
}

Rig rig_of(const CurveSkeletonParameters& parameters) {
  Rig rig{.judging = Judging::kNone};
  rig.layers.push_back({"*", parameters, {}, {}});
  return rig;
}

struct Settled {
  std::vector<Curve> curves;
  std::vector<std::string> notes;
  std::vector<glm::dmat4> at_bind;
};

Settled settled(const Model& model, const CurveSkeletonParameters& parameters) {
  const std::vector<std::uint32_t> meshes{0};
  Settled result;
  result.at_bind = matrices_at_bind(model, meshes);
  const Result<Chains> chains = curve_skeleton::resolve_chains(parameters, model, meshes, "layer");
  if (!chains) return ADD_FAILURE() << chains.error().message, result;
  Result<std::vector<Curve>> curves =
      curve_skeleton::resolve_curves(parameters, chains->chains, model, result.at_bind, "layer", result.notes);
  if (!curves) return ADD_FAILURE() << curves.error().message, result;
  result.curves = std::move(*curves);
  return result;
}

std::string refusal(const Model& model, const CurveSkeletonParameters& parameters) {
  const Result<Bound> bound = pelt::bind(model, rig_of(parameters));
  return bound ? "" : bound.error().message;
}

// Returns the bytes of the .pelt file without the text of the rig.
std::vector<std::byte> bytes(const Model& model, const CurveSkeletonParameters& parameters) {
  const Result<Bound> bound = pelt::bind(model, rig_of(parameters));
  if (!bound) return ADD_FAILURE() << bound.error().message, std::vector<std::byte>();
  CharacterData data = *bound->character;
  data.rig.clear();
  const Result<Character> character = Character::create(std::move(data));
  if (!character) return ADD_FAILURE() << character.error().message, std::vector<std::byte>();
  return serialize(*character);
}

std::vector<std::string> notes(const Model& model, const CurveSkeletonParameters& parameters) {
  const Result<Bound> bound = pelt::bind(model, rig_of(parameters));
  if (!bound) return {bound.error().message};
  return bound->report.notes;
}

// Returns the tube in the pose at bind, moved by the character: only bendy bones move it.
std::vector<glm::vec3> moved_tube(const Model& model, const CurveSkeletonParameters& parameters) {
  std::vector<glm::vec3> positions(model.meshes[0].positions.size());
  const Result<Bound> bound = pelt::bind(model, rig_of(parameters));
  if (!bound) return ADD_FAILURE() << bound.error().message, positions;
  Evaluator evaluator(bound->character);
  evaluator.evaluate();
  to_source_order<glm::vec3>(bound->character->meshes[0], evaluator.positions(), positions);
  return positions;
}

// Returns vertex k of the ring at x.
std::size_t at(float x, std::uint32_t k) {
  return static_cast<std::size_t>(std::lround(x / (kLength * kJoints) * kAlong)) * kAround + k;
}

void expect_near(const glm::vec3& a, const glm::vec3& b, float tolerance, const char* what = "") {
  EXPECT_LE(glm::distance(a, b), tolerance)
      << what << ": " << a.x << ' ' << a.y << ' ' << a.z << " is not " << b.x << ' ' << b.y << ' ' << b.z;
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

// The skin must not tear where two bones meet, whatever their values.
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
  EXPECT_THAT(notes(model, parameters), Contains(HasSubstr("1 joints are where rolls or scales of two bones differ")));
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

// ---- Ease

// Returns |dC| over the fraction of an unbent bone, at its start or its end, for a spline.
double slope(const Settled& settled, std::uint32_t bone, bool at_end) {
  const Curve& curve = settled.curves[0];
  std::vector<std::uint32_t> inputs(settled.at_bind.size(), shared::kNoInput);
  const std::vector<glm::mat4> joints(settled.at_bind.begin(), settled.at_bind.end());
  const PosedCurve posed(curve, settled.at_bind, inputs, joints, std::span<const float>());
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
  EXPECT_THAT(inner.notes, Contains(HasSubstr("2 joints have floats that are shorter than by their ease")));
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
    const glm::vec3 at = joints[j][3];
    const glm::vec3 axis = j == 2 ? glm::vec3(0, 1, 0) : glm::vec3(0, 0, 1);
    motion = motion * glm::translate(glm::mat4(1), at) * glm::rotate(glm::mat4(1), glm::radians(bends[j]), axis) *
             glm::translate(glm::mat4(1), -at);
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
  const std::vector<std::uint32_t> inputs(settled.at_bind.size(), shared::kNoInput);
  const PosedCurve posed(settled.curves[0], settled.at_bind, inputs, joints, std::span<const float>());
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
    const std::vector<std::uint32_t> inputs(bent.at_bind.size(), shared::kNoInput);
    const PosedCurve posed(bent.curves[0], bent.at_bind, inputs, bent_joints(bent, {0, 40, -25, 60}),
                           std::span<const float>());
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
  const std::vector<std::uint32_t> inputs(bent.at_bind.size(), shared::kNoInput);
  const PosedCurve posed(bent.curves[0], bent.at_bind, inputs, bent_joints(bent, bends), std::span<const float>());
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
  const std::vector<glm::vec3> posed = moved_tube(model, with_bone(values));
  for (std::size_t v = 0; v < posed.size(); ++v) expect_near(posed[v], model.meshes[0].positions[v], 4e-6f, "at bind");
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

TEST(BendyBones, BindIsExactWhateverShapesTheRest) {
  const Model model = tube();
  BendyBone values;
  values.segments = 12;
  values.ease_in = 0.4f;
  values.ease_out = 1.2f;
  values.curve_in = {0.2f, -0.1f};
  values.curve_out = {-0.1f, 0.3f};
  for (const CurveSkeletonParameters& parameters : {with_bone(values), upwards(with_bone(values))}) {
    const std::vector<glm::vec3> posed = moved_tube(model, parameters);
    for (std::size_t v = 0; v < posed.size(); ++v)
      expect_near(posed[v], model.meshes[0].positions[v], 4e-6f, "at bind");
  }
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
  EXPECT_THAT(both.notes, Contains(HasSubstr("2 bendy bones, 1 of them as the model brings them")));
  // A bone that the rig names for other settings keeps the bendy bone of the model.
  CurveSkeletonParameters twisted;
  twisted.bones = {{"joint1", "", {}, false, std::nullopt}};
  EXPECT_FLOAT_EQ(settled(model, twisted).curves[0].spans[1].last.roll, glm::radians(90.0f));
}

// A fork, whose right branch goes on along the y of its joint.
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
              Contains(AllOf(HasSubstr("1 give segments, which do not count"),
                             HasSubstr("1 give ease or curve offsets at the end of a curve"))));
  EXPECT_THAT(notes(tube(), {}), Not(Contains(HasSubstr("bendy"))));
}

TEST(BendyBones, RefusesValuesOutOfTheirRange) {
  static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto refused = [](const auto& change) {
    BendyBone values;
    change(values);
    const std::string of_rig = refusal(tube(), with_bone(values));
    Model model = tube();
    model.bendy_bones = {{1, values}};
    const std::string of_model = refusal(model, {});
    EXPECT_THAT(of_model, HasSubstr("joint1"));
    return of_rig;
  };
  EXPECT_THAT(refused([](BendyBone& b) { b.segments = 0; }), HasSubstr("/bendy/segments: "));
  EXPECT_THAT(refused([](BendyBone& b) { b.ease_in = -1; }), HasSubstr("/bendy/ease_in: "));
  EXPECT_THAT(refused([](BendyBone& b) { b.ease_out = kNan; }), HasSubstr("/bendy/ease_out: "));
  EXPECT_THAT(refused([](BendyBone& b) { b.roll_in = 3601; }), HasSubstr("/bendy/roll_in: "));
  EXPECT_THAT(refused([](BendyBone& b) { b.roll_out = kNan; }), HasSubstr("/bendy/roll_out: "));
  EXPECT_THAT(refused([](BendyBone& b) { b.curve_in.y = kNan; }), HasSubstr("/bendy/curve_in/1: "));
  EXPECT_THAT(refused([](BendyBone& b) { b.curve_out.x = 1e30f; }), HasSubstr("/bendy/curve_out/0: "));
  EXPECT_THAT(refused([](BendyBone& b) { b.scale_in.x = 0; }), HasSubstr("/bendy/scale_in/0: "));
  EXPECT_THAT(refused([](BendyBone& b) { b.scale_out.z = -1; }), HasSubstr("/bendy/scale_out/2: "));
  Model model = tube();
  model.bendy_bones = {{99, {}}};
  EXPECT_THAT(refusal(model, {}), HasSubstr("bendy bone at no joint"));
}

}  // namespace
}  // namespace pelt::chain
