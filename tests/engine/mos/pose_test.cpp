// SPDX-License-Identifier: MIT
// Compares control points and windows in poses with the formulae of docs/mathematics.md section 3, in double precision.
#include "engine/mos/pose.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <glm/gtc/quaternion.hpp>
#include <limits>
#include <numeric>
#include <random>

#include <pelt/clip_twists.h>
#include <pelt/curve_keys.h>
#include <pelt/curve_skeleton.h>
#include <pelt/mos.h>

#include "engine/mos/table.h"
#include "shaders/mos/point_pose.h"
#include "shaders/mos/table_pose.h"
#include "tests/support/test_curve.h"

namespace pelt::mos {
namespace {

using test::turn;

constexpr double kTolerance = 2e-5;  // for places up to 10 from the origin, in float
const std::vector<glm::dvec3> kPlaces{{0, 0, 0}, {2, 0.1, 0}, {4, 0, 0.2}, {6, 0.3, 0}};
constexpr std::array<float, 4> kNoTwists{};
constexpr std::uint32_t kRoot = 0;

struct Frame {
  glm::dmat3 axes;
  glm::dvec3 origin;
};

double distance(const Frame& frame, const Affine& posed) {
  double most = glm::distance(frame.origin, glm::dvec3(affine_origin(posed)));
  const glm::dmat3 axes(affine_axes(posed));
  for (int c = 0; c < 3; ++c) most = std::max(most, glm::distance(frame.axes[c], axes[c]));
  return std::isfinite(most) ? most : std::numeric_limits<double>::infinity();
}

// Four joints in a row, each the anchor of a chain, in the pose of turns[i] (TestCurve::posed_joints).
struct Scene {
  explicit Scene(std::size_t top = 0) : limb(kPlaces, top) {
    std::iota(inputs.begin(), inputs.end(), 0u);
    pose({turn(20, {1, 2, 3}), turn(50, {0, 1, 1}), turn(-70, {1, 0.3, 0}), turn(95, {1, 0, 1})},
         glm::translate(glm::mat4_cast(turn(130, {2, -1, 1})), {0.4, 1, -2}));
  }
  void pose(const std::vector<glm::dquat>& by, const glm::dmat4& motion = glm::dmat4(1.0)) {
    turns = by;
    joints = limb.posed_joints(turns, motion);
    motions.assign(4, glm::dquat(1, 0, 0, 0));
    const std::size_t top = limb.curve.chain.top;
    motions[top] = glm::quat_cast(glm::dmat3(motion)) * turns[top];
    for (std::size_t i = top + 1; i < 4; ++i) motions[i] = motions[i - 1] * turns[i];
    for (std::size_t i = top; i-- > 0;) motions[i] = motions[i + 1] * turns[i];
  }
  void pose_at_bind() { pose(std::vector<glm::dquat>(4, glm::dquat(1, 0, 0, 0))); }

  std::size_t upper(std::size_t i) const { return i > limb.curve.chain.top ? i - 1 : i + 1; }

  // Returns a_i, away from the top.
  glm::dvec3 axis(std::size_t i) const {
    const std::size_t top = limb.curve.chain.top;
    const std::ptrdiff_t away = i < top ? -1 : 1;
    auto from = static_cast<std::ptrdiff_t>(i);
    if (from + away < 0 || from + away > 3) from -= away;
    return glm::normalize(kPlaces[static_cast<std::size_t>(from + away)] - kPlaces[static_cast<std::size_t>(from)]);
  }

  // Returns tau_i.
  double twist(std::size_t i) const {
    if (i == limb.curve.chain.top) return 0;
    const glm::dquat turned = glm::conjugate(motions[upper(i)]) * motions[i];
    double angle = 2 * std::atan2(glm::dot(glm::dvec3(turned.x, turned.y, turned.z), axis(i)), turned.w);
    const double whole = 2 * glm::pi<double>();
    angle += whole * std::round((twists[i] - angle) / whole);
    return angle + twist(upper(i));
  }

  MosTable table(MosFrames frames = MosFrames::kRelative) const { return {limb.at_bind(), inputs, kRoot, frames}; }

  PointTurn turn_of(std::uint32_t far, float swing, float twist, bool angles) const {
    return {.chain = 0, .far = far, .swing = swing, .twist = twist, .axis = glm::vec3(axis(far)), .angles = angles};
  }

  glm::dmat3 bind_axes(std::size_t joint) const { return glm::dmat3(limb.at_bind()[joint]); }
  glm::dmat4 motion(std::size_t joint) const { return glm::dmat4(joints[joint]) * glm::inverse(limb.at_bind()[joint]); }

  test::TestCurve limb;
  std::vector<std::uint32_t> inputs = std::vector<std::uint32_t>(4);
  std::vector<glm::dquat> turns;
  std::vector<glm::dquat> motions;  // D_i
  std::vector<glm::mat4> joints;
  std::array<float, 4> twists{};
};

// A control point in doubles. `angle`: theta of the blend that its frame is for; none: its own.
struct Expected {
  glm::dmat3 swing{1.0};  // s S, or A A_rest^-1
  glm::dvec3 axis{1, 0, 0};
  double angle = 0;  // along the chain
  glm::dvec3 position{0.0};

  Frame frame(const glm::dmat3& rest, double theta) const {
    return {swing * glm::dmat3(glm::mat4_cast(glm::angleAxis(theta, axis))) * rest, position};
  }
};

Expected expected(const Scene& scene, const ControlPoint& point) {
  Expected result;
  const glm::dmat4 motion = scene.motion(point.joint);
  result.position = glm::dvec3(motion * glm::dvec4(point.position, 1));
  result.swing = glm::dmat3(motion);
  if (!point.turn) return result;
  const PointTurn& bone = *point.turn;
  const std::size_t near = scene.upper(bone.far);
  glm::dquat near_motion = scene.motions[near];
  glm::dquat far_motion = scene.motions[bone.far];
  if (bone.angles) {
    near_motion = near_motion * glm::angleAxis(-scene.twist(near), scene.axis(near));
    far_motion = far_motion * glm::angleAxis(-scene.twist(bone.far), scene.axis(bone.far));
    const double sign = bone.far < scene.limb.curve.chain.top ? -1 : 1;
    result.axis = sign * scene.axis(bone.far);
    result.angle = sign * std::lerp(scene.twist(near), scene.twist(bone.far), double{bone.twist});
  }
  const double scale = std::cbrt(std::abs(glm::determinant(glm::dmat3(motion))));
  result.swing = scale * glm::dmat3(glm::mat4_cast(glm::slerp(near_motion, far_motion, double{bone.swing})));
  return result;
}

Affine posed_point(const Scene& scene, const ControlPoint& point, std::span<const PointEdit> edits = {},
                   MosFrames frames = MosFrames::kRelative) {
  MosTable table = scene.table(frames);
  const std::uint32_t chain = table.put_chain(scene.limb.curve.chain);
  const std::uint32_t word = table.put_point(point, std::array{chain}, edits);
  return PosedPoints(table.words(), scene.joints, scene.twists).frame(word);
}

void expect_near(const Frame& wanted, const Affine& posed) { EXPECT_LT(distance(wanted, posed), kTolerance); }

// ------------------------------------------------------------------------------------------------------------ points

TEST(MosPoint, MovesAsItsJointWithScaleAndShear) {
  Scene scene;
  scene.joints[2] = scene.joints[2] * glm::mat4(glm::mat3(1.5f, 0.2f, 0, 0.3f, 0.7f, 0.1f, 0, 0, 2));
  const ControlPoint point{.joint = 2, .position = {1, -3, 0.5}};
  const Expected wanted = expected(scene, point);
  expect_near(wanted.frame(glm::dmat3(1.0), 0), posed_point(scene, point));
  expect_near({glm::dmat3(scene.joints[2]), wanted.position}, posed_point(scene, point, {}, MosFrames::kJoint));
}

TEST(MosPoint, TurnsBetweenTheEndsOfABone) {
  for (const std::size_t top : {0, 1, 3}) {
    const Scene scene(top);
    for (std::uint32_t far = 0; far < 4; ++far) {
      if (far == top) continue;
      for (const float swing : {0.0f, 0.3f, 0.5f, 1.0f}) {
        for (const bool angles : {false, true}) {
          const ControlPoint point{
              .joint = far, .position = {3, 0.5, 1}, .turn = scene.turn_of(far, swing, 0.7f, angles)};
          const Expected wanted = expected(scene, point);
          expect_near(wanted.frame(glm::dmat3(1.0), wanted.angle), posed_point(scene, point));
          expect_near(wanted.frame(scene.bind_axes(far), wanted.angle),
                      posed_point(scene, point, {}, MosFrames::kJoint));
        }
      }
    }
  }
}

TEST(MosPoint, BisectsABend) {
  Scene scene;
  const glm::dquat none(1, 0, 0, 0);
  scene.pose({none, turn(90, {0, 0, 1}), none, none});
  const ControlPoint point{.joint = 1, .position = kPlaces[1], .turn = scene.turn_of(1, 0.5f, 0, false)};
  expect_near({glm::dmat3(glm::mat4_cast(turn(45, {0, 0, 1}))), kPlaces[1]}, posed_point(scene, point));
}

TEST(MosPoint, AddsTwistsUpAlongTheChainBeyondHalfATurn) {
  Scene scene;
  scene.twists[2] = static_cast<float>(glm::radians(270.0));
  scene.pose({glm::dquat(1, 0, 0, 0), turn(30, scene.axis(1)), turn(270, scene.axis(2)), turn(40, scene.axis(3))});
  const ControlPoint point{.joint = 2, .position = {3, 0, 0}, .turn = scene.turn_of(2, 0, 0.5f, true)};
  MosTable table = scene.table();
  const std::uint32_t chain = table.put_chain(scene.limb.curve.chain);
  const std::uint32_t word = table.put_point(point, std::array{chain});
  const shared::MosWindow window =
      PosedPoints(table.words(), scene.joints, scene.twists).window({word, word, word, word});
  EXPECT_NEAR(window.points[0].angle, glm::radians(30 + 135.0), 1e-4);
  scene.twists[2] = 0;
  const shared::MosWindow untold =
      PosedPoints(table.words(), scene.joints, scene.twists).window({word, word, word, word});
  EXPECT_NEAR(untold.points[0].angle, glm::radians(30 - 45.0), 1e-4);
}

TEST(MosPoint, GrowsWithItsJoint) {
  Scene scene;
  for (glm::mat4& joint : scene.joints) joint = glm::scale(glm::mat4(1.0f), glm::vec3(2.5f)) * joint;
  const ControlPoint point{.joint = 2, .position = {3, 0.5, 1}, .turn = scene.turn_of(2, 0.4f, 0.5f, true)};
  const Expected wanted = expected(scene, point);
  EXPECT_NEAR(glm::determinant(wanted.swing), 2.5 * 2.5 * 2.5, 1e-4);
  expect_near(wanted.frame(glm::dmat3(1.0), wanted.angle), posed_point(scene, point));
}

// It slides along the bisector by twice the distance times the sine of half of the bend.
TEST(MosPoint, SlidesOutwardAsItsJointBends) {
  for (const std::size_t top : {0, 2}) {
    const Scene scene(top);
    ControlPoint point{.joint = 1, .position = {1.5, 0.2, 0}, .turn = scene.turn_of(1, 0.3f, 0.6f, true)};
    Expected wanted = expected(scene, point);
    point.outward = 0.25f;
    const auto at = [&](std::size_t i) { return glm::dvec3(scene.motion(i) * glm::dvec4(kPlaces[i], 1)); };
    const glm::dvec3 arriving = glm::normalize(at(1) - at(0));
    const glm::dvec3 leaving = glm::normalize(at(2) - at(1));
    const double scale = std::cbrt(std::abs(glm::determinant(glm::dmat3(scene.motion(1)))));
    wanted.position += 0.25 * scale * (arriving - leaving);
    EXPECT_GT(glm::distance(arriving, leaving), 0.3);
    expect_near(wanted.frame(glm::dmat3(1.0), wanted.angle), posed_point(scene, point));
  }
}

// The twist of another anchor is added to those that add up to the point's own.
TEST(MosPoint, RollsWithAnotherAnchor) {
  for (const std::size_t top : {0, 3}) {
    const Scene scene(top);
    const std::uint32_t roller = top == 0 ? 2 : 1;
    ControlPoint point{
        .joint = 1, .position = {1.5, 0.2, 0}, .turn = scene.turn_of(top == 0 ? 1 : 2, 0.3f, 0.6f, true)};
    Expected wanted = expected(scene, point);
    point.turn->roll = 0.4f;
    point.turn->roller = roller;
    const double theta = scene.twist(roller) - scene.twist(scene.upper(roller));
    EXPECT_GT(std::abs(theta), 0.03);
    wanted.angle += 0.4 * theta * (top == 0 ? 1 : -1);
    expect_near(wanted.frame(glm::dmat3(1.0), wanted.angle), posed_point(scene, point));
  }
}

// ------------------------------------------------------------------------------------------------------------- edits

class MosEdits : public testing::TestWithParam<bool> {
 protected:
  ControlPoint point() const {
    ControlPoint result{.joint = 2, .position = {3, 0.8, 0.4}};
    if (GetParam()) result.turn = scene.turn_of(2, 0.3f, 0.6f, true);
    return result;
  }
  // Expects the point in both kinds of frames.
  void expect(const Expected& wanted, const glm::dmat3& scaled, const std::vector<PointEdit>& edits) {
    for (const MosFrames frames : {MosFrames::kRelative, MosFrames::kJoint}) {
      const glm::dmat3 rest = frames == MosFrames::kJoint ? scene.bind_axes(2) : glm::dmat3(1.0);
      expect_near(wanted.frame(scaled * rest, wanted.angle), posed_point(scene, point(), edits, frames));
    }
  }
  Scene scene;
};

INSTANTIATE_TEST_SUITE_P(PlainAndTurning, MosEdits, testing::Bool(),
                         [](const auto& turning) { return turning.param ? "Turning" : "Plain"; });

TEST_P(MosEdits, Bulge) {
  const glm::dvec3 pivot(2.5, -0.4, 1);
  Expected wanted = expected(scene, point());
  const glm::dvec3 there(scene.motion(2) * glm::dvec4(pivot, 1));
  wanted.position = there + 1.7 * (wanted.position - there);
  expect(wanted, glm::dmat3(1.0), {{.operation = MosOperation::kBulge, .factor = 1.7f, .pivot = pivot}});
}

TEST_P(MosEdits, Slide) {
  Expected wanted = expected(scene, point());
  const glm::dvec3 along = glm::normalize(glm::dvec3(scene.joints[3][3]) - glm::dvec3(scene.joints[1][3]));
  wanted.position += 0.6 * along + glm::dmat3(scene.joints[2]) * glm::dvec3(0.1, -0.3, 0.2);
  expect(wanted, glm::dmat3(1.0),
         {{.operation = MosOperation::kSlide, .distance = 0.6f, .from = 1, .to = 3, .offset = {0.1f, -0.3f, 0.2f}}});
}

TEST_P(MosEdits, ScaleAlongTheJointsAxes) {
  const glm::dmat3 axes = scene.bind_axes(2);
  const glm::dmat3 scaled = axes * glm::dmat3(1, 0, 0, 0, 2, 0, 0, 0, 0.5) * glm::transpose(axes);
  expect(expected(scene, point()), scaled, {{.operation = MosOperation::kScale, .scale = {1, 2, 0.5f}}});
}

TEST_P(MosEdits, MotionIsMeasuredFromTheRoots) {
  const ControlPoint at = point();
  const glm::dmat4 root = scene.motion(kRoot);
  const Expected whole = expected(scene, at);
  const glm::dvec3 still(root * glm::dvec4(at.position, 1));
  for (const MosFrames frames : {MosFrames::kRelative, MosFrames::kJoint}) {
    const glm::dmat3 rest = frames == MosFrames::kJoint ? scene.bind_axes(2) : glm::dmat3(1.0);
    const glm::dmat3 axes = whole.frame(rest, whole.angle).axes;
    const Frame wanted{-0.5 * glm::dmat3(root) * rest + 1.5 * axes, still + 1.5 * (whole.position - still)};
    expect_near(wanted, posed_point(scene, at,
                                    std::array{PointEdit{.operation = MosOperation::kMotion, .factor = 1.5f}}, frames));
  }
}

TEST_P(MosEdits, TwistTurnsAboutTheBone) {
  Expected wanted = expected(scene, point());
  if (GetParam()) wanted.angle += 0.9;  // nothing to turn about otherwise
  expect(wanted, glm::dmat3(1.0), {{.operation = MosOperation::kTwist, .radians = 0.9f}});
}

TEST_P(MosEdits, AreDoneInOrder) {
  const PointEdit slide{.operation = MosOperation::kSlide, .distance = 1, .from = 0, .to = 1};
  const PointEdit bulge{.operation = MosOperation::kBulge, .factor = 2, .pivot = kPlaces[2]};
  const glm::dvec3 along = glm::normalize(glm::dvec3(scene.joints[1][3]) - glm::dvec3(scene.joints[0][3]));
  const glm::dvec3 pivot(scene.joints[2][3]);
  Expected wanted = expected(scene, point());
  const glm::dvec3 from = wanted.position;
  wanted.position = pivot + 2.0 * (from + along - pivot);
  expect(wanted, glm::dmat3(1.0), {slide, bulge});
  wanted.position = pivot + 2.0 * (from - pivot) + along;
  expect(wanted, glm::dmat3(1.0), {bulge, slide});
}

TEST_P(MosEdits, ThatChangeNothingAreNeutral) {
  const Expected wanted = expected(scene, point());
  expect(wanted, glm::dmat3(1.0),
         {{.operation = MosOperation::kBulge, .pivot = {9, 9, 9}},
          {.operation = MosOperation::kSlide, .from = 1, .to = 1},
          {.operation = MosOperation::kScale},
          {.operation = MosOperation::kMotion},
          {.operation = MosOperation::kTwist}});
}

// Returns the share of an edit at a bend of joint 1 about its z.
double share_at(double degrees, const std::vector<CurveKey>& keys) {
  Scene scene;
  const auto number = [](double value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); };
  const glm::dquat rest = glm::quat_cast(glm::transpose(scene.bind_axes(0)) * scene.bind_axes(1));
  const key_weights::AngleWords angle{
      1, 0, number(0), number(0), number(1), number(rest.x), number(rest.y), number(rest.z), number(rest.w)};
  MosTable table = scene.table();
  const PointEdit edit{
      .operation = MosOperation::kBulge, .factor = 2, .pivot = {3, 0, 0}, .driver = table.put_driver(angle, keys)};
  const std::uint32_t word = table.put_point({.joint = 0, .position = {3, 0, 1}}, {}, std::array{edit});
  const glm::dquat none(1, 0, 0, 0);
  scene.pose({none, turn(degrees, scene.bind_axes(1)[2]), none, none});
  return affine_origin(PosedPoints(table.words(), scene.joints, scene.twists).frame(word)).z - 1.0;
}

TEST(MosDriver, PassesSmoothlyThroughItsKeysAndHoldsBeyond) {
  const std::vector<CurveKey> keys{{-30, 1}, {0, 0}, {60, 0.5f}, {120, 2}};
  for (const CurveKey& key : keys) EXPECT_NEAR(share_at(double{key.at}, keys), double{key.value}, kTolerance);
  EXPECT_NEAR(share_at(-100, keys), 1, kTolerance);
  EXPECT_NEAR(share_at(170, keys), 2, kTolerance);
  double before = 0;
  for (double degrees = 4; degrees < 120; degrees += 4) {
    const double share = share_at(degrees, keys);
    EXPECT_GT(share, before - kTolerance) << degrees;
    EXPECT_LT(share - before, 0.2) << degrees;
    before = share;
  }
  // Computed by hand: the slope is 0 at 0 degrees, where the share turns, and 1/80 per degree at 60.
  EXPECT_NEAR(share_at(30, keys), 0.25 - 60.0 / 8 / 80, kTolerance);
}

TEST(MosDriver, OfASingleKeyIsHeld) {
  EXPECT_NEAR(share_at(-50, {{0, 0.5f}}), 0.5, kTolerance);
  EXPECT_NEAR(share_at(100, {{0, 0.5f}}), 0.5, kTolerance);
}

// -------------------------------------------------------------------------------------------------- palette entries

// A pass of each kernel, with points on both sides of every joint, edits and a driver, and the parts of the passes.
struct Passes {
  explicit Passes(const Scene& scene, std::span<const PointEdit> edits = {}, MosFrames frames = MosFrames::kRelative) {
    MosTable table = scene.table(frames);
    chain = table.put_chain(scene.limb.curve.chain);
    for (std::uint32_t far = 0; far < 4; ++far) {
      if (far == scene.limb.curve.chain.top) continue;
      for (const float part : {0.25f, 0.75f}) {
        const std::size_t near = scene.upper(far);
        points.push_back({.joint = static_cast<std::uint32_t>(near),
                          .position = glm::mix(kPlaces[near], kPlaces[far], double{part}),
                          .turn = scene.turn_of(far, 0.5f * part, part, true)});
        words.push_back(table.put_point(points.back(), std::array{chain}, edits));
      }
    }
    const std::vector<glm::mat4> bind(scene.limb.at_bind().begin(), scene.limb.at_bind().end());
    along.kernel = PoseKernel::kMosTable;
    for (std::size_t w = 0; w + 3 < words.size(); ++w) {
      const std::array window{words[w], words[w + 1], words[w + 2], words[w + 3]};
      const std::vector<std::uint32_t> now = table.words();
      const shared::MosWindow rest = PosedPoints(now, bind, kNoTwists).window(window);
      shared::MosTableRecord record{{window[0], window[1], window[2], window[3]}, 0};
      for (std::uint32_t k = 0; k < shared::kMosSlots; ++k) {
        const float u = static_cast<float>(k) / (shared::kMosSlots - 1);
        const std::uint32_t word = table.put_sample(u, shared::mos_window_frame(rest, u));
        if (k == 0) record.first_sample = word;
      }
      append_record(along.records, record);
      ++along.record_count;
    }
    along.table = table.take_words();
    single.kernel = PoseKernel::kMosPoint;
    for (const std::uint32_t word : words) {
      append_record(single.records, shared::MosPointRecord{word});
      ++single.record_count;
    }
    single.table = along.table;
  }
  std::vector<Affine> palette(const PalettePass& pass, const Scene& scene) const {
    const PoseKernelInfo& kernel = pose_kernel(pass.kernel);
    std::vector<Affine> result(std::size_t{pass.record_count} * kernel.slots_per_record);
    kernel.pose(pass, 0, pass.record_count, {scene.joints, {}, scene.twists, result});
    return result;
  }
  std::uint32_t chain = 0;
  std::vector<ControlPoint> points;
  std::vector<std::uint32_t> words;
  PalettePass along;
  PalettePass single;
};

TEST(MosEntries, OfASampleAreTheBlendOfTheWindow) {
  for (const std::size_t top : {0, 2}) {
    for (const MosFrames frames : {MosFrames::kRelative, MosFrames::kJoint}) {
      const Scene scene(top);
      const Passes passes(scene, {}, frames);
      Scene bind(top);
      bind.pose_at_bind();
      const auto blend = [&](const Scene& pose, std::size_t window, double u) {
        const std::array<double, 4> weights{(1 - u) * (1 - u) * (1 - u) / 6, (3 * u * u * u - 6 * u * u + 4) / 6,
                                            (-3 * u * u * u + 3 * u * u + 3 * u + 1) / 6, u * u * u / 6};
        std::vector<Expected> points;
        double theta = 0;
        for (std::size_t k = 0; k < 4; ++k) {
          points.push_back(expected(pose, passes.points[window + k]));
          theta += weights[k] * points[k].angle;
        }
        Frame result{glm::dmat3(0.0), glm::dvec3(0.0)};
        for (std::size_t k = 0; k < 4; ++k) {
          const std::uint32_t joint = passes.points[window + k].joint;
          const Frame frame =
              points[k].frame(frames == MosFrames::kJoint ? pose.bind_axes(joint) : glm::dmat3(1.0), theta);
          result.axes += weights[k] * frame.axes;
          result.origin += weights[k] * frame.origin;
        }
        return result;
      };
      const std::vector<Affine> palette = passes.palette(passes.along, scene);
      for (std::size_t w = 0; w < passes.along.record_count; ++w) {
        for (std::size_t k = 0; k < shared::kMosSlots; ++k) {
          const double u = static_cast<double>(k) / (shared::kMosSlots - 1);
          const Frame posed = blend(scene, w, u);
          const Frame rest = blend(bind, w, u);
          const glm::dmat3 axes = posed.axes * glm::inverse(rest.axes);
          EXPECT_LT(distance({axes, posed.origin - axes * rest.origin}, palette[w * shared::kMosSlots + k]), 2e-4)
              << w << ", " << k;
        }
      }
    }
  }
}

TEST(MosEntries, OfASampleAreNeutralAtBind) {
  const std::vector<PointEdit> edits{{.operation = MosOperation::kBulge, .factor = 1.3f, .pivot = {0, 1, 0}},
                                     {.operation = MosOperation::kScale, .scale = {1, 2, 1}},
                                     {.operation = MosOperation::kTwist, .radians = 0.5f}};
  Scene scene(1);
  scene.pose_at_bind();
  for (const MosFrames frames : {MosFrames::kRelative, MosFrames::kJoint}) {
    const Passes passes(scene, edits, frames);
    for (const Affine& entry : passes.palette(passes.along, scene)) {
      EXPECT_LT(distance({glm::dmat3(1.0), glm::dvec3(0.0)}, entry), kTolerance);
    }
  }
}

TEST(MosEntries, OfAPointAreItsFrame) {
  const Scene scene;
  const Passes passes(scene);
  const std::vector<Affine> palette = passes.palette(passes.single, scene);
  for (std::size_t j = 0; j < passes.points.size(); ++j) {
    const Expected point = expected(scene, passes.points[j]);
    expect_near(point.frame(glm::dmat3(1.0), point.angle), palette[j]);
  }
}

TEST(MosEntries, MoveAndGrowWithTheCharacter) {
  const std::vector<PointEdit> edits{
      {.operation = MosOperation::kBulge, .factor = 1.3f, .pivot = {0, 1, 0}},
      {.operation = MosOperation::kSlide, .distance = 0.4f, .from = 1, .to = 2, .offset = {0.1f, 0, 0.2f}},
      {.operation = MosOperation::kScale, .scale = {1, 2, 1}},
      {.operation = MosOperation::kMotion, .factor = 0.6f},
      {.operation = MosOperation::kTwist, .radians = 0.5f}};
  Scene scene(1);
  const Passes passes(scene, edits);
  const glm::mat4 rigid =
      glm::translate(glm::rotate(glm::mat4(1.0f), 2.0f, glm::normalize(glm::vec3(1, 2, -1))), glm::vec3(1, -2, 0.5f));
  for (const glm::mat4& motion : {rigid, glm::scale(rigid, glm::vec3(0.4f))}) {
    for (const PalettePass* pass : {&passes.along, &passes.single}) {
      Scene moved = scene;
      for (glm::mat4& joint : moved.joints) joint = motion * joint;
      const std::vector<Affine> before = passes.palette(*pass, scene);
      const std::vector<Affine> after = passes.palette(*pass, moved);
      for (std::size_t i = 0; i < before.size(); ++i) {
        const Affine wanted = affine_compose(affine_from_mat4(motion), before[i]);
        EXPECT_LT(distance({glm::dmat3(affine_axes(wanted)), glm::dvec3(affine_origin(wanted))}, after[i]), 2e-4) << i;
      }
    }
  }
}

TEST(MosEntries, StayFiniteWhereJointsCollapse) {
  const std::vector<PointEdit> edits{{.operation = MosOperation::kSlide, .distance = 1, .from = 1, .to = 2},
                                     {.operation = MosOperation::kScale, .scale = {0, 0, 0}}};
  Scene scene;
  const Passes passes(scene, edits);
  const Passes sound(scene);
  for (glm::mat4& joint : scene.joints) joint = glm::mat4(glm::mat3(0.0f));
  for (const PalettePass* pass : {&sound.along, &sound.single, &passes.single}) {
    for (const Affine& entry : passes.palette(*pass, scene)) {
      for (glm::length_t row = 0; row < 3; ++row) {
        for (glm::length_t c = 0; c < 4; ++c) EXPECT_TRUE(std::isfinite(entry[row][c]));
      }
    }
  }
}

TEST(MosEntries, AreAlikeInAnyOrder) {
  const Scene scene;
  const Passes passes(scene);
  const std::vector<Affine> together = passes.palette(passes.along, scene);
  for (std::size_t i = 0; i < passes.along.record_count; ++i) {
    std::vector<Affine> one(together.size());
    kMosTable.pose(passes.along, i, i + 1, {scene.joints, {}, scene.twists, one});
    for (std::size_t k = i * shared::kMosSlots; k < (i + 1) * shared::kMosSlots; ++k) EXPECT_EQ(one[k], together[k]);
  }
}

// A clip must know which joints twist: they are found on the chains of either kernel.
TEST(MosEntries, TellClipsWhichTwistsTheyTake) {
  const Scene scene;
  const Passes passes(scene);
  for (const PalettePass* pass : {&passes.along, &passes.single}) {
    CharacterData data;
    for (std::int32_t j = 0; j < 4; ++j) {
      Joint joint{.name = "joint" + std::to_string(j), .parent = j - 1};
      const glm::dmat4 outer = j == 0 ? glm::dmat4(1.0) : scene.limb.at_bind()[static_cast<std::size_t>(j - 1)];
      const glm::dmat4 local = glm::inverse(outer) * scene.limb.at_bind()[static_cast<std::size_t>(j)];
      joint.rest.translation = glm::vec3(local[3]);
      joint.rest.rotation = glm::quat(glm::quat_cast(glm::dmat3(local)));
      data.skeleton.joints.push_back(joint);
    }
    data.passes.push_back(*pass);
    data.input_count = 4;
    data.controls.push_back({.kind = ControlKind::kTwist, .name = "twist/joint2", .target = 2, .input = 2});
    Clip clip{.name = "turns", .duration = 2};
    Channel channel{.joint = 2, .path = ChannelPath::kRotation};
    const glm::quat rest = data.skeleton.joints[2].rest.rotation;
    const glm::dvec3 about = glm::transpose(scene.bind_axes(2)) * scene.axis(2);
    for (int k = 0; k < 3; ++k) {
      channel.times.push_back(static_cast<float>(k));
      const glm::quat q = rest * glm::quat(turn(135.0 * k, about));
      channel.values.insert(channel.values.end(), {q.x, q.y, q.z, q.w});
    }
    clip.channels.push_back(channel);
    std::vector<float> inputs(4, 0.0f);
    ClipTwists(data, clip).sample(2, inputs);
    EXPECT_NEAR(glm::degrees(inputs[2]), 270, 0.1);
  }
}

// -------------------------------------------------------------------------------------------------------- validation

constexpr std::uint32_t kNanWord = 0x7FC00000u;
constexpr std::uint32_t kFar = 0xFFFFFFF0u;

std::uint32_t word_of(float number) { return std::bit_cast<std::uint32_t>(number); }

// Passes with every kind of edit, and the places of things in their tables.
struct File {
  File() {
    const Scene scene;
    MosTable table = scene.table();
    const std::uint32_t chain_word = table.put_chain(scene.limb.curve.chain);
    const key_weights::AngleWords angle{1, 0, 0, 0, word_of(1), 0, 0, 0, word_of(1)};
    driver = table.put_driver(angle, std::vector<CurveKey>{{0, 0}, {30, 1}, {60, 2}});
    const std::vector<PointEdit> edits{
        {.operation = MosOperation::kSlide, .distance = 0.4f, .from = 1, .to = 2, .driver = driver},
        {.operation = MosOperation::kScale, .scale = {1, 2, 1}}};
    point = table.put_point({.joint = 1, .position = {1, 0, 0}, .turn = scene.turn_of(2, 0.5f, 0.5f, true)},
                            std::array{chain_word}, edits);
    plain = table.put_point({.joint = 2, .position = {2, 0, 0}}, std::array{chain_word});
    chain = chain_word;
    for (int r = 0; r < 2; ++r) {
      for (std::uint32_t k = 0; k < shared::kMosSlots; ++k) {
        const std::uint32_t word = table.put_sample(0.1f * static_cast<float>(k), affine_identity());
        if (r == 0 && k == 0) sample = word;
      }
    }
    along.kernel = PoseKernel::kMosTable;
    along.table = table.take_words();
    along.record_count = 2;
    const std::uint32_t samples = shared::kMosSlots * shared::kMosSampleWords;
    append_record(along.records, shared::MosTableRecord{{point, point, plain, plain}, sample});
    append_record(along.records, shared::MosTableRecord{{plain, plain, plain, point}, sample + samples});
    single.kernel = PoseKernel::kMosPoint;
    single.table = along.table;
    single.record_count = 2;
    append_record(single.records, shared::MosPointRecord{point});
    append_record(single.records, shared::MosPointRecord{plain});
    data.skeleton.joints.resize(4);
    data.input_count = 4;
  }
  std::uint32_t edit() const { return along.table[point + shared::kMosPointEdits + 1]; }
  void set(std::uint32_t word, std::uint32_t value) {
    along.table[word] = value;
    single.table[word] = value;
  }

  CharacterData data;
  PalettePass along, single;
  std::uint32_t chain = 0, driver = 0, point = 0, plain = 0, sample = 0;
};

struct Fault {
  const char* name;
  void (*change)(File&);
  const char* says;
  bool of_points = true;  // or of the table's records alone
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class MosFault : public testing::TestWithParam<Fault> {};

TEST_P(MosFault, IsRefused) {
  File file;
  const Result<void> sound = kMosTable.validate(file.along, file.data);
  ASSERT_TRUE(sound) << sound.error().message;
  const Result<void> sound_points = kMosPoint.validate(file.single, file.data);
  ASSERT_TRUE(sound_points) << sound_points.error().message;
  GetParam().change(file);
  const Result<void> along = kMosTable.validate(file.along, file.data);
  ASSERT_FALSE(along);
  EXPECT_EQ(along.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(along.error().message, testing::HasSubstr(GetParam().says));
  if (!GetParam().of_points) return;
  const Result<void> single = kMosPoint.validate(file.single, file.data);
  ASSERT_FALSE(single);
  EXPECT_THAT(single.error().message, testing::HasSubstr(GetParam().says));
}

const Fault kFaults[] = {
    {"NoTable",
     [](File& f) {
       f.along.table.resize(shared::kMosHeaderWords - 1);
       f.single.table = f.along.table;
     },
     "record 0 reads past its table"},
    {"RootFar", [](File& f) { f.set(0, 4); }, "record 0 names a joint that is not there"},
    {"RootNotFinite", [](File& f) { f.set(5, kNanWord); }, "not finite"},
    // Records.
    {"PointFar",
     [](File& f) {
       f.along.records[2] = kFar;
       f.single.records[0] = kFar;
     },
     "record 0 reads past its table"},
    {"PointAtTheEnd",
     [](File& f) {
       const auto end = static_cast<std::uint32_t>(f.along.table.size());
       f.along.records[5] = f.single.records[1] = end - shared::kMosPointWords + 1;
     },
     "record 1 reads past its table"},
    {"SamplesFar", [](File& f) { f.along.records[4] = kFar; }, "record 0 reads past its table", false},
    {"SamplesPastTheEnd", [](File& f) { f.along.records[9] += 1; }, "record 1 reads past its table", false},
    {"SampleBelow", [](File& f) { f.set(f.sample, word_of(-0.1f)); }, "not in its window", false},
    {"SampleAbove", [](File& f) { f.set(f.sample + shared::kMosSampleWords, word_of(1.1f)); }, "not in its window",
     false},
    {"SampleNotFinite", [](File& f) { f.set(f.sample + 5, kNanWord); }, "not finite", false},
    // Points.
    {"JointFar", [](File& f) { f.set(f.point, 4); }, "names a joint that is not there"},
    {"PositionNotFinite", [](File& f) { f.set(f.plain + shared::kMosPointPosition, kNanWord); }, "not finite"},
    {"FrameNotFinite", [](File& f) { f.set(f.plain + shared::kMosPointFrame + 8, kNanWord); }, "not finite"},
    {"RestNotFinite", [](File& f) { f.set(f.plain + shared::kMosPointRest + 2, kNanWord); }, "not finite"},
    {"ChainFar", [](File& f) { f.set(f.point + shared::kMosPointChain, kFar); }, "reads past its table"},
    {"AnchorFar", [](File& f) { f.set(f.point + shared::kMosPointFar, 4); }, "a bone that is not there"},
    {"AnchorAtTheTop", [](File& f) { f.set(f.point + shared::kMosPointFar, 0); }, "a bone that is not there"},
    {"SwingBeside", [](File& f) { f.set(f.point + shared::kMosPointSwing, word_of(1.5f)); }, "beside its bone"},
    {"TwistNotFinite", [](File& f) { f.set(f.point + shared::kMosPointTwist, kNanWord); }, "beside its bone"},
    {"AxisNotFinite", [](File& f) { f.set(f.point + shared::kMosPointAxis + 1, kNanWord); }, "not finite"},
    {"KindUnknown", [](File& f) { f.set(f.plain + shared::kMosPointKind, 3); }, "a point of an unknown kind"},
    {"EditsTooMany", [](File& f) { f.set(f.point + shared::kMosPointEdits, 67); }, "too many edits"},
    {"EditsFar", [](File& f) { f.set(f.point + shared::kMosPointEdits + 1, kFar); }, "reads past its table"},
    // Chains.
    {"AnchorsOne", [](File& f) { f.set(f.chain, 1); }, "too few or too many anchors"},
    {"AnchorsHuge", [](File& f) { f.set(f.chain, kFar); }, "too few or too many anchors"},
    {"TopFar", [](File& f) { f.set(f.chain + 1, 4); }, "top is not there"},
    {"AnchorsFar", [](File& f) { f.set(f.chain + shared::kChainFirstAnchor, kFar); }, "reads past its table"},
    {"AnchorsJointFar", [](File& f) { f.set(f.chain + shared::kChainWords, 4); }, "names a joint that is not there"},
    {"TwistInputFar",
     [](File& f) { f.set(f.chain + shared::kChainWords + shared::kAnchorWords + shared::kAnchorTwist, 4); },
     "names an input that is not there"},
    // Edits.
    {"OperationUnknown", [](File& f) { f.set(f.edit(), 7); }, "an edit of an unknown kind"},
    {"RollerFar",
     [](File& f) {
       f.set(f.edit(), shared::kMosRoll);
       f.set(f.edit() + shared::kMosEditValues + 1, 4);
     },
     "rolls with an anchor that is not there"},
    {"RollerAtTheTop",
     [](File& f) {
       f.set(f.edit(), shared::kMosRoll);
       f.set(f.edit() + shared::kMosEditValues + 1, 0);
     },
     "rolls with an anchor that is not there"},
    {"RollNotFinite",
     [](File& f) {
       f.set(f.edit(), shared::kMosRoll);
       f.set(f.edit() + shared::kMosEditValues, kNanWord);
       f.set(f.edit() + shared::kMosEditValues + 1, 1);
     },
     "not finite"},
    {"OutwardAtTheEnd",
     [](File& f) {
       f.set(f.edit(), shared::kMosOutward);
       f.set(f.point + shared::kMosPointFar, 3);
     },
     "is slid outward at no joint of a chain"},
    {"OutwardWithoutAChain",
     [](File& f) {
       f.set(f.edit(), shared::kMosOutward);
       f.set(f.point + shared::kMosPointChain, shared::kMosNoWord);
     },
     "is slid outward at no joint of a chain"},
    {"DriverFar", [](File& f) { f.set(f.edit() + shared::kMosEditDriver, kFar); }, "reads past its table"},
    {"SlideFromFar", [](File& f) { f.set(f.edit() + shared::kMosEditValues + 1, 4); }, "names a joint"},
    {"SlideToFar", [](File& f) { f.set(f.edit() + shared::kMosEditValues + 2, kFar); }, "names a joint"},
    {"SlideDistanceNotFinite", [](File& f) { f.set(f.edit() + shared::kMosEditValues, kNanWord); }, "not finite"},
    {"SlideOffsetNotFinite", [](File& f) { f.set(f.edit() + shared::kMosEditValues + 5, kNanWord); }, "not finite"},
    {"ScaleNotFinite", [](File& f) { f.set(f.edit() + shared::kMosEditWords + shared::kMosEditValues + 5, kNanWord); },
     "not finite"},
    // Drivers.
    {"KeysTooFew", [](File& f) { f.set(f.driver, 1); }, "too few or too many keys"},
    {"KeysTooMany", [](File& f) { f.set(f.driver, 65); }, "too few or too many keys"},
    {"DriverJointFar", [](File& f) { f.set(f.driver + shared::kMosDriverAngle, 4); }, "names a joint"},
    {"DriverParentFar", [](File& f) { f.set(f.driver + shared::kMosDriverAngle + 1, 4); }, "names a joint"},
    {"DriverAxisNotFinite", [](File& f) { f.set(f.driver + shared::kMosDriverAngle + 2, kNanWord); }, "not finite"},
    {"KeyNotFinite", [](File& f) { f.set(f.driver + shared::kMosDriverKeys + 4, kNanWord); }, "not finite"},
    {"KeysDoNotAscend", [](File& f) { f.set(f.driver + shared::kMosDriverKeys + shared::kMosKeyWords, word_of(0)); },
     "keys that do not ascend"},
    // Words with two meanings: each was checked as the first, and would be posed as the second.
    {"DriverAsChain",
     [](File& f) {
       f.set(f.plain + shared::kMosPointChain, f.driver);
       f.set(f.plain + shared::kMosPointFar, 0);
     },
     "takes a word of its table for two things"},
    {"ChainAsDriver", [](File& f) { f.set(f.edit() + shared::kMosEditDriver, f.chain); },
     "takes a word of its table for two things"},
    {"PointAsChain", [](File& f) { f.set(f.plain + shared::kMosPointChain, f.point); },
     "takes a word of its table for two things"},
    // Words that many records name.
    {"SamplesShared",
     [](File& f) {
       for (int i = 0; i < 40; ++i)
         append_record(f.along.records, read_record<shared::MosTableRecord>(f.along.records, 0));
       f.along.record_count += 40;
     },
     "read more of its table than there is", false},
};

INSTANTIATE_TEST_SUITE_P(All, MosFault, testing::ValuesIn(kFaults),
                         [](const auto& fault) { return std::string(fault.param.name); });

// Many records of one point at the far end of a long chain, with as many edits as there may be.
TEST(MosRecords, ThatTakeTooLongForTheirSizeAreRefused) {
  std::vector<glm::dmat4> at_bind{glm::dmat4(1.0)};
  const std::vector<std::uint32_t> inputs{shared::kNoInput};
  chain::Chain chain;
  for (int i = 0; i < 1024; ++i) chain.anchors.push_back({0, glm::vec3(static_cast<float>(i), 0, 0)});
  MosTable table(at_bind, inputs, 0, MosFrames::kRelative);
  const std::uint32_t chain_word = table.put_chain(chain);
  const PointTurn far{.chain = 0, .far = 1023, .axis = {1, 0, 0}, .angles = true};
  const std::uint32_t word = table.put_point({.turn = far}, std::array{chain_word});
  CharacterData data;
  data.skeleton.joints.resize(1);
  PalettePass pass;
  pass.kernel = PoseKernel::kMosPoint;
  pass.table = table.take_words();
  const auto with_records = [&](std::uint32_t count) {
    pass.records.clear();
    for (std::uint32_t i = 0; i < count; ++i) append_record(pass.records, shared::MosPointRecord{word});
    pass.record_count = count;
    return kMosPoint.validate(pass, data);
  };
  EXPECT_TRUE(with_records(100));
  const Result<void> many = with_records(5000);
  ASSERT_FALSE(many);
  EXPECT_THAT(many.error().message, testing::HasSubstr("take too long for the size of its table"));
}

// Whichever word of the tables changes, the passes are refused or can be posed.
TEST(MosRecords, AnyOtherWordIsRefusedOrPoses) {
  File file;
  const Scene scene;
  std::vector<Affine> palette(2 * shared::kMosSlots);
  for (std::uint32_t word = 0; word < file.along.table.size(); ++word) {
    for (const std::uint32_t value : {0u, 1u, 7u, 40u, 0x3F800000u, 0xBF800000u, 0x7F7FFFFFu, 0xFFFFFFFFu}) {
      const std::uint32_t before = file.along.table[word];
      file.set(word, value);
      for (const PalettePass* pass : {&file.along, &file.single}) {
        const PoseKernelInfo& kernel = pose_kernel(pass->kernel);
        if (kernel.validate(*pass, file.data)) kernel.pose(*pass, 0, 2, {scene.joints, {}, scene.twists, palette});
      }
      file.set(word, before);
    }
  }
  EXPECT_TRUE(kMosTable.validate(file.along, file.data));
}

}  // namespace
}  // namespace pelt::mos
