// SPDX-License-Identifier: MIT
// Compares control points in poses with the formulae of docs/mathematics.md section 3.
#include "engine/character/kernels/mos.h"

#include <bit>

#include <pelt/curve_keys.h>

#include "shaders/mos/table_pose.h"
#include "tests/engine/character/kernels/point_scene.h"

namespace pelt::mos {
namespace {

using test::turn;

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
  const shared::MosWindow window = PosedPoints(table, scene.joints, scene.twists).window({word, word, word, word});
  EXPECT_NEAR(window.points[0].cosine[0].w, glm::radians(30 + 135.0), 1e-4);
  scene.twists[2] = 0;
  const shared::MosWindow untold = PosedPoints(table, scene.joints, scene.twists).window({word, word, word, word});
  EXPECT_NEAR(untold.points[0].cosine[0].w, glm::radians(30 - 45.0), 1e-4);
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
  return affine_origin(PosedPoints(table, scene.joints, scene.twists).frame(word)).z - 1.0;
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
  // Computed by hand: the slope is 0 at 0 degrees, the minimum of the weight, and 1/80 per degree at 60.
  EXPECT_NEAR(share_at(30, keys), 0.25 - 60.0 / 8 / 80, kTolerance);
}

TEST(MosDriver, OfASingleKeyIsHeld) {
  EXPECT_NEAR(share_at(-50, {{0, 0.5f}}), 0.5, kTolerance);
  EXPECT_NEAR(share_at(100, {{0, 0.5f}}), 0.5, kTolerance);
}

}  // namespace
}  // namespace pelt::mos
