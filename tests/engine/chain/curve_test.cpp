// SPDX-License-Identifier: MIT
// Checks posed curves and their frames against docs/mathematics.md section 2, which this file computes on its own in
// double precision.
#include "engine/chain/curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <optional>

#include <pelt/curve_skeleton.h>

#include "tests/support/test_curve.h"

namespace pelt::chain {
namespace {

using test::TestCurve;
using test::turn;

using Turns = std::vector<glm::dquat>;

const glm::dquat kNoTurn(1, 0, 0, 0);

glm::dvec3 axis(const Affine& frame, int i) { return glm::normalize(glm::dvec3(affine_axes(frame)[i])); }

glm::dvec3 origin(const Affine& frame) { return glm::dvec3(affine_origin(frame)); }

double degrees_between(const glm::dvec3& a, const glm::dvec3& b) {
  return glm::degrees(std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b)));
}

// Returns the angle from a to b about x, right-handed.
double degrees_about(const glm::dvec3& x, const glm::dvec3& a, const glm::dvec3& b) {
  return glm::degrees(std::atan2(glm::dot(glm::cross(a, b), x), glm::dot(a, b)));
}

// Returns the radius of the circle through three points.
double radius_through(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) {
  const double twice_area = glm::length(glm::cross(b - a, c - a));
  return glm::distance(a, b) * glm::distance(b, c) * glm::distance(c, a) / (2 * twice_area);
}

// Returns joints along x, `bone` apart.
std::vector<glm::dvec3> straight(std::size_t count, double bone = 1.0) {
  std::vector<glm::dvec3> points;
  for (std::size_t i = 0; i < count; ++i) points.emplace_back(bone * static_cast<double>(i), 0.0, 0.0);
  return points;
}

// Joints that are on no line, with bones from 0.8 to 1.2 long.
const std::vector<glm::dvec3> kSixCrookedJoints{{0, 0, 0},       {0.9, 0.2, 0.1}, {1.8, 0.1, 0.4},
                                                {2.5, 0.5, 0.3}, {3.4, 0.4, 0.9}, {4.2, 1.1, 1.2}};

// Returns turns that bend and twist every joint, also the first one.
Turns wild_turns(std::size_t count) {
  Turns turns;
  for (std::size_t i = 0; i < count; ++i) {
    const double k = static_cast<double>(i);
    turns.push_back(turn(35 + 20 * std::sin(1.3 * k), {std::sin(2.1 * k + 1), std::cos(1.7 * k), 0.6}));
  }
  return turns;
}

glm::dmat4 rigid_motion() {
  return glm::rotate(glm::translate(glm::dmat4(1.0), glm::dvec3(3, -2, 5)), 2.2, glm::normalize(glm::dvec3(1, 2, -3)));
}

// ------------------------------------------------------------------------------------------------------- the spline

// The uniform cubic B-spline by de Boor's algorithm, with the phantom ends of docs/mathematics.md.
class Spline {
 public:
  Spline(const std::vector<glm::dvec3>& points, const std::vector<double>& arcs) {
    for (std::size_t i = 0; i < points.size(); ++i) control_.emplace_back(points[i], arcs[i]);
    control_.insert(control_.begin(), 2.0 * control_[0] - control_[1]);
    control_.push_back(2.0 * control_[control_.size() - 1] - control_[control_.size() - 2]);
  }

  double last() const { return static_cast<double>(control_.size() - 3); }

  // Returns the point and its s.
  glm::dvec4 at(double t) const {
    const auto span = static_cast<std::size_t>(std::clamp(std::floor(t), 0.0, last() - 1));
    glm::dvec4 d[4];
    for (std::size_t i = 0; i < 4; ++i) d[i] = control_[span + i];
    const double u = t - static_cast<double>(span);
    for (int level = 1; level <= 3; ++level) {
      for (int i = 3; i >= level; --i) {
        const double a = (u + 3 - i) / (4 - level);
        d[i] = (1 - a) * d[i - 1] + a * d[i];
      }
    }
    return d[3];
  }

  double parameter(double s) const {
    double low = 0;
    double high = last();
    for (int step = 0; step < 60; ++step) {
      const double middle = 0.5 * (low + high);
      (at(middle).w < s ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

  glm::dvec3 tangent(double t) const {
    const double step = 1e-5;
    const double from = std::max(t - step, 0.0);
    const double to = std::min(t + step, last());
    return glm::normalize(glm::dvec3(at(to)) - glm::dvec3(at(from)));
  }

 private:
  std::vector<glm::dvec4> control_;
};

// Returns the spline through J_0, (B-, J, B+) .., J_n of posed joints.
Spline spline_of(const TestCurve& own, std::span<const glm::mat4> joints, const std::vector<double>& floats) {
  const std::size_t last = joints.size() - 1;
  std::vector<glm::dvec3> points;
  std::vector<double> arcs;
  for (std::size_t i = 0; i <= last; ++i) {
    const auto place = [&](std::size_t k) { return glm::dvec3(joints[own.curve.chain.anchors[k].joint][3]); };
    const double arc = own.curve.lengths[i];
    if (i > 0 && i < last) {
      points.push_back(place(i) + floats[i] * glm::normalize(place(i - 1) - place(i)));
      arcs.push_back(arc - floats[i]);
    }
    points.push_back(place(i));
    arcs.push_back(arc);
    if (i > 0 && i < last) {
      points.push_back(place(i) + floats[i] * glm::normalize(place(i + 1) - place(i)));
      arcs.push_back(arc + floats[i]);
    }
  }
  return {points, arcs};
}

// Returns the float by the formula, if J_i bends by `theta`.
double formula(const TestCurve& own, std::size_t i, double theta) {
  const CurveAnchor& anchor = own.curve.anchors[i];
  const double across = std::cos(theta / 2);
  const double wanted = own.curve.float_margin * 2 * anchor.skin_distance * std::sin(theta / 2) / (across * across);
  return std::clamp(wanted, double{anchor.float_min}, double{anchor.float_max});
}

TEST(Curve, IsTheSplineOverItsControlPoints) {
  for (const bool posed : {false, true}) {
    SCOPED_TRACE(posed);
    TestCurve own(kSixCrookedJoints);
    own.curve.float_margin = 1.25f;
    Turns turns(kSixCrookedJoints.size(), kNoTurn);
    if (posed) turns = wild_turns(kSixCrookedJoints.size());
    const std::vector<glm::mat4> joints = own.posed_joints(turns);
    std::vector<double> floats(joints.size(), 0);
    for (std::size_t i = 1; i + 1 < joints.size(); ++i) {
      const auto place = [&](std::size_t k) { return glm::dvec3(joints[k][3]); };
      floats[i] = formula(own, i, glm::radians(degrees_between(place(i) - place(i - 1), place(i + 1) - place(i))));
    }
    const Spline expected = spline_of(own, joints, floats);
    const PosedCurve curve = own.posed(joints);
    for (std::size_t bone = 0; bone < own.curve.bone_count(); ++bone) {
      if (bone > 0) {
        EXPECT_NEAR(curve.floating_distance(bone), floats[bone], 1e-5);
      }
      for (int k = 0; k <= 20; ++k) {
        const double lambda = k / 20.0;
        const double s = own.curve.lengths[bone] + lambda * own.curve.bone_length(bone);
        const double t = expected.parameter(s);
        const Affine frame = curve.frame(bone, static_cast<float>(lambda));
        EXPECT_LT(glm::distance(origin(frame), glm::dvec3(expected.at(t))), 5e-6) << bone << ' ' << lambda;
        EXPECT_LT(degrees_between(axis(frame, 0), expected.tangent(t)), 0.02) << bone << ' ' << lambda;
      }
      // J_i is at t = 3 i - 1.
      EXPECT_NEAR(expected.parameter(own.curve.lengths[bone]), bone == 0 ? 0.0 : 3.0 * static_cast<double>(bone) - 1,
                  1e-6);
    }
    // It reaches both ends.
    EXPECT_LT(glm::distance(origin(curve.frame(0, 0)), glm::dvec3(joints.front()[3])), 2e-6);
    EXPECT_LT(glm::distance(origin(curve.frame(own.curve.bone_count() - 1, 1)), glm::dvec3(joints.back()[3])), 2e-6);
  }
}

TEST(Curve, OfOneBoneIsAStraightLine) {
  for (const CurveFrames frames : {CurveFrames::kTangent, CurveFrames::kEndpoint, CurveFrames::kAuto}) {
    TestCurve own({{1, 2, 3}, {2, 2.5, 2}});
    own.curve.frames = frames;
    const std::vector<glm::mat4> joints = own.posed_joints(Turns{turn(70, {1, 1, 0}), turn(80, {0, 1, 2})});
    const PosedCurve curve = own.posed(joints);
    const glm::dvec3 from = glm::dvec3(joints[0][3]);
    const glm::dvec3 to = glm::dvec3(joints[1][3]);
    for (int k = 0; k <= 10; ++k) {
      const Affine frame = curve.frame(0, static_cast<float>(k) / 10);
      EXPECT_LT(glm::distance(origin(frame), glm::mix(from, to, k / 10.0)), 1e-6);
      EXPECT_LT(degrees_between(axis(frame, 0), to - from), 1e-3);
    }
  }
}

// -------------------------------------------------------------------------------------------------- floating points

// The radius of curvature at the middle joint of `own`, which bends by `degrees`, and the least radius anywhere. Both
// are those of circles through three points, whose curvature falls linearly with the distance of the points.
struct Radii {
  double at_joint;
  double least;
};

Radii radii(const TestCurve& own, double degrees) {
  const std::vector<glm::mat4> joints = own.posed_joints(Turns{kNoTurn, turn(degrees, {0, 0, 1}), kNoTurn});
  const PosedCurve curve = own.posed(joints);
  const auto at = [&](double s) {  // distance from the joint, in bones
    return s < 0 ? origin(curve.frame(0, static_cast<float>(1 + s))) : origin(curve.frame(1, static_cast<float>(s)));
  };
  const auto radius = [&](double s, double step) { return radius_through(at(s - step), at(s), at(s + step)); };
  const double f = curve.floating_distance(1) / own.curve.bone_length(0);
  const double step = 0.03 * f * std::cos(glm::radians(degrees / 2));
  Radii result{1 / (2 / radius(0, step) - 1 / radius(0, 2 * step)), 1e9};
  for (double s = -0.8; s <= 0.8; s += step) result.least = std::min(result.least, radius(s, step));
  return result;
}

TEST(Curve, RadiusOfCurvatureAtAJointFollowsTheFormula) {
  for (const double f : {0.1, 0.25, 0.4, 0.8}) {
    for (const double bend : {10.0, 30.0, 60.0, 90.0, 120.0, 150.0}) {
      SCOPED_TRACE(testing::Message() << "f " << f << ", bend " << bend);
      TestCurve own({{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}});
      own.curve.anchors[1].float_keys = {{0, static_cast<float>(f)}};
      own.curve.anchors[1].float_max = static_cast<float>(f);
      const double half = glm::radians(bend / 2);
      const double expected = f * std::cos(half) * std::cos(half) / (2 * std::sin(half));
      EXPECT_NEAR(radii(own, bend).at_joint, expected, 0.02 * expected);
    }
  }
}

TEST(Curve, FoldFreeBendsAreThoseOfTheTable) {
  const std::pair<double, double> table[] = {{1, 49}, {2, 76}, {3, 92}, {4, 103}, {6, 116}, {10, 130}};
  for (const auto& [ratio, expected] : table) {
    for (const float margin : {1.0f, 1.25f}) {
      SCOPED_TRACE(testing::Message() << "f_max / d = " << ratio << ", margin " << margin);
      TestCurve own(straight(3, 2 * ratio));
      own.curve.float_margin = margin;
      own.curve.anchors[1].skin_distance = 1;
      own.curve.anchors[1].float_min = 0.1f;
      own.curve.anchors[1].float_max = static_cast<float>(ratio);
      // The bend solves 2 sin(x) / cos(x)^2 = f_max / d, where x is half of it.
      const double sine = (std::sqrt(1 + ratio * ratio) - 1) / ratio;
      EXPECT_NEAR(glm::degrees(2 * std::asin(sine)), expected, 0.6);
      EXPECT_GE(radii(own, expected - 1).at_joint, 0.995);
      EXPECT_LE(radii(own, expected + 1).at_joint, 0.995);
      // The curve folds nowhere else before.
      EXPECT_GE(radii(own, expected - 1).least, 0.98);
    }
  }
}

// A bend that joints share that stand closer together than the limb is thick, and a thick limb at one joint.
TEST(Curve, AutomaticFramesDoNotFoldWhereJointsStandCloseTogether) {
  struct Case {
    std::vector<glm::dvec3> points;
    double distance, bend;
  };
  std::vector<Case> cases;
  for (const double gap : {1e-3, 0.05, 0.25, 0.5, 1.0}) {
    for (const double bend : {45.0, 67.5})
      cases.push_back({{{0, 0, 0}, {4, 0, 0}, {4 + gap, 0, 0}, {8 + gap, 0, 0}}, 1, bend});
  }
  for (const double bend : {90.0, 135.0, 150.0}) cases.push_back({{{0, 0, 0}, {4, 0, 0}, {8, 0, 0}}, 1.5, bend});
  cases.push_back({straight(9), 1, 22.5});  // a tail as thick as its bones are long
  for (const Case& own : cases) {
    SCOPED_TRACE(testing::Message() << own.points.size() << " joints, the second at " << own.points[2].x << ", d "
                                    << own.distance << ", bend " << own.bend);
    TestCurve limb(own.points);
    limb.curve.frames = CurveFrames::kAuto;
    for (CurveAnchor& anchor : limb.curve.anchors) {
      anchor.skin_distance = static_cast<float>(own.distance);
      anchor.float_max = 4;
    }
    Turns turns(own.points.size(), kNoTurn);
    for (std::size_t i = 1; i + 1 < own.points.size(); ++i) turns[i] = turn(own.bend, {0, 0, 1});
    const PosedCurve posed = limb.posed(limb.posed_joints(turns));
    const PosedCurve rest = limb.posed(limb.posed_joints(Turns(own.points.size(), kNoTurn)));
    std::optional<glm::dvec3> before;
    for (std::size_t bone = 0; bone < limb.curve.bone_count(); ++bone) {
      for (int k = bone == 0 ? 0 : 1; k <= 200; ++k) {
        const auto lambda = static_cast<float>(k) / 200;
        // The inside of the limb: at bind straight across the curve, in the plane of the bend.
        const Affine at_rest = rest.frame(bone, lambda);
        const glm::dvec3 inside = origin(at_rest) + glm::dvec3(0, own.distance, 0);
        const glm::dvec3 local = glm::inverse(glm::dmat3(affine_axes(at_rest))) * (inside - origin(at_rest));
        const Affine frame = posed.frame(bone, lambda);
        const glm::dvec3 point = origin(frame) + glm::dmat3(affine_axes(frame)) * local;
        if (before) {
          EXPECT_GT(glm::dot(point - *before, axis(frame, 0)), -1e-6) << bone << ' ' << lambda;
        }
        before = point;
      }
    }
  }
}

TEST(Curve, SectionsDoNotTurnInsideOut) {
  TestCurve own({{0, 0, 0}, {2, 0, 0}, {4, 0, 0}});
  for (CurveAnchor& anchor : own.curve.anchors) anchor.bulge = {.volume = 1, .across = -1, .along = -1};
  for (const CurveFrames frames : {CurveFrames::kAuto, CurveFrames::kTangent, CurveFrames::kEndpoint}) {
    own.curve.frames = frames;
    for (const double bend : {45.0, 90.0, 135.0}) {
      const PosedCurve posed = own.posed(own.posed_joints(Turns{kNoTurn, turn(bend, {0, 0, 1}), kNoTurn}));
      for (const float lambda : {0.5f, 0.8f, 0.95f, 1.0f}) {
        EXPECT_GT(glm::determinant(glm::dmat3(affine_axes(posed.frame(0, lambda)))), 1e-4) << bend << ' ' << lambda;
      }
    }
  }
}

TEST(Curve, FloatsClamp) {
  TestCurve own(straight(4));
  own.curve.float_margin = 1;
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    own.curve.anchors[i].skin_distance = 0.2f;
    own.curve.anchors[i].float_min = 0.12f;
    own.curve.anchors[i].float_max = 0.45f;
  }
  float before = 0;
  bool between = false;
  for (int bend = 0; bend <= 180; bend += 5) {
    const PosedCurve curve = own.posed(own.posed_joints(Turns{kNoTurn, turn(bend, {0, 1, 0}), kNoTurn, kNoTurn}));
    const double expected = formula(own, 1, glm::radians(static_cast<double>(bend)));
    EXPECT_NEAR(curve.floating_distance(1), expected, 2e-3 * expected) << bend;
    EXPECT_GE(curve.floating_distance(1), before - 1e-6f);
    EXPECT_NEAR(curve.floating_distance(2), 0.12f, 1e-6f) << "another joint's bend";
    before = curve.floating_distance(1);
    between |= expected > 0.13 && expected < 0.44;
    if (bend == 0) {
      EXPECT_NEAR(before, 0.12f, 1e-6f);
    }
  }
  EXPECT_NEAR(before, 0.45f, 1e-6f);
  EXPECT_TRUE(between);
  EXPECT_EQ(own.posed(own.posed_joints(Turns(4, kNoTurn))).floating_distance(0), 0);
}

TEST(Curve, KeyedFloatsGoFromKeyToKey) {
  TestCurve own(straight(3));
  const auto radians = [](double degrees) { return static_cast<float>(glm::radians(degrees)); };
  own.curve.anchors[1].float_keys = {{radians(20), 0.2f}, {radians(60), 0.5f}, {radians(120), 0.3f}};
  const std::pair<double, double> expected[] = {{0, 0.2},  {20, 0.2},  {30, 0.275}, {60, 0.5},
                                                {90, 0.4}, {120, 0.3}, {150, 0.3},  {179, 0.3}};
  for (const auto& [bend, f] : expected) {
    const PosedCurve curve = own.posed(own.posed_joints(Turns{kNoTurn, turn(bend, {0, 1, 1}), kNoTurn}));
    EXPECT_NEAR(curve.floating_distance(1), f, 1e-5) << bend;
  }
}

// ----------------------------------------------------------------------------------------------------------- frames

std::vector<CurveFrames> all_frames() { return {CurveFrames::kAuto, CurveFrames::kTangent, CurveFrames::kEndpoint}; }

TEST(CurveFrame, IsOrthonormalAndContinuous) {
  for (const CurveFrames frames : all_frames()) {
    for (const CurveReference reference : {CurveReference::kHalfSwing, CurveReference::kJoint}) {
      for (const float centre : {0.0f, 0.25f, 1.0f}) {
        TestCurve own(kSixCrookedJoints);
        own.curve.frames = frames;
        own.curve.reference = reference;
        own.curve.centre = centre;
        const PosedCurve curve = own.posed(own.posed_joints(wild_turns(kSixCrookedJoints.size())));
        std::optional<Affine> before;
        for (std::size_t bone = 0; bone < own.curve.bone_count(); ++bone) {
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
  TestCurve own(kSixCrookedJoints);
  const std::vector<glm::mat4> joints = own.posed_joints(wild_turns(kSixCrookedJoints.size()));
  own.curve.frames = CurveFrames::kTangent;
  const PosedCurve tangent = own.posed(joints);
  own.curve.frames = CurveFrames::kEndpoint;
  const PosedCurve endpoint = own.posed(joints);
  double apart = 0;
  for (std::size_t bone = 0; bone < own.curve.bone_count(); ++bone) {
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
    TestCurve own(straight(5));
    Turns turns(5, kNoTurn);
    for (const int i : {1, 2, 3})
      turns[static_cast<std::size_t>(i)] = turn(bend, {0, std::sin(2.0 * i), std::cos(2.0 * i)});
    const PosedCurve curve = own.posed(own.posed_joints(turns));
    for (std::size_t bone = 0; bone < own.curve.bone_count(); ++bone) {
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
  TestCurve own(kSixCrookedJoints);
  own.curve.frames = CurveFrames::kEndpoint;
  const PosedCurve curve = own.posed(own.posed_joints(wild_turns(kSixCrookedJoints.size())));
  for (std::size_t bone = 0; bone < own.curve.bone_count(); ++bone) {
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
  TestCurve own(straight(3));
  const std::vector<glm::mat4> joints = own.posed_joints(Turns{kNoTurn, turn(100, {0, 1, 0}), kNoTurn});
  const PosedCurve on_curve = own.posed(joints);
  own.curve.centre = 0.3f;
  const PosedCurve between = own.posed(joints);
  for (const float lambda : {0.1f, 0.6f, 1.0f}) {
    const glm::dvec3 on_bone = glm::mix(glm::dvec3(joints[0][3]), glm::dvec3(joints[1][3]), double{lambda});
    const glm::dvec3 expected = glm::mix(origin(on_curve.frame(0, lambda)), on_bone, 0.3);
    EXPECT_LT(glm::distance(origin(between.frame(0, lambda)), expected), 2e-6);
  }
}

// Chains with different tops; a limb-to-limb chain has its top in the middle.
struct Laid {
  const char* name;
  std::size_t top;
};

void PrintTo(const Laid& laid, std::ostream* out) { *out << laid.name; }

class CurveOf : public testing::TestWithParam<Laid> {};
INSTANTIATE_TEST_SUITE_P(Tops, CurveOf, testing::Values(Laid{"First", 0}, Laid{"Middle", 2}, Laid{"Last", 5}),
                         [](const auto& laid) { return std::string(laid.param.name); });

TEST_P(CurveOf, AMotionOfAllJointsMovesItsFrames) {
  for (const CurveFrames frames : all_frames()) {
    TestCurve own(kSixCrookedJoints, GetParam().top);
    own.curve.frames = frames;
    own.curve.anchors[2].before = {0.05f, 0.1f, 0};
    own.curve.anchors[3].after = {0, -0.1f, 0.05f};
    const Turns turns = wild_turns(kSixCrookedJoints.size());
    const PosedCurve before = own.posed(own.posed_joints(turns));
    for (const double scale : {1.0, 2.5}) {
      const glm::dmat4 motion = glm::scale(rigid_motion(), glm::dvec3(scale));
      const PosedCurve after = own.posed(own.posed_joints(turns, motion));
      for (std::size_t bone = 0; bone < own.curve.bone_count(); ++bone) {
        for (const float lambda : {0.0f, 0.3f, 0.5f, 1.0f}) {
          for (const glm::dvec3 local : {glm::dvec3(0), glm::dvec3(0, 0.3, 0), glm::dvec3(0, 0, 0.3)}) {
            const auto moved = [&](const PosedCurve& curve) {
              return glm::dvec3(transform_point(curve.frame(bone, lambda), glm::vec3(local)));
            };
            const glm::dvec3 expected(motion * glm::dvec4(moved(before), 1));
            EXPECT_LT(glm::distance(moved(after), expected), 2e-5 * scale) << bone << ' ' << lambda;
          }
        }
      }
    }
  }
}

TEST_P(CurveOf, SaidFromItsOtherEndMovesTheSameSkin) {
  for (const CurveFrames frames : all_frames()) {
    for (const CurveReference reference : {CurveReference::kHalfSwing, CurveReference::kJoint}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(frames) << ' ' << static_cast<int>(reference));
      TestCurve own(kSixCrookedJoints, GetParam().top);
      own.curve.frames = frames;
      own.curve.reference = reference;
      own.curve.anchors[2].before = {0.02f, 0.04f, 0};
      own.curve.anchors[3].float_keys = {{0, 0.2f}, {1, 0.4f}};
      own.curve.spans[3].twist = {{0, 0}, {0.4f, 0.1f}, {1, 1}};
      const TestCurve other = own.reversed();
      const Turns turns = wild_turns(kSixCrookedJoints.size());
      // posed_joints counts from the top of its own chain, and joints keep their numbers.
      const std::vector<glm::mat4> joints = own.posed_joints(turns);
      const std::vector<glm::mat4> rest = own.posed_joints(Turns(kSixCrookedJoints.size(), kNoTurn));
      const PosedCurve own_rest = own.posed(rest);
      const PosedCurve own_posed = own.posed(joints);
      const PosedCurve other_rest = other.posed(rest);
      const PosedCurve other_posed = other.posed(joints);
      for (std::size_t bone = 0; bone < own.curve.bone_count(); ++bone) {
        for (const float lambda : {0.0f, 0.25f, 0.5f, 0.9f}) {
          const auto moved = [&](const PosedCurve& from, const PosedCurve& to, std::size_t b, float at,
                                 const glm::dvec3& point) {
            const Affine rest_frame = from.frame(b, at);
            const glm::dvec3 local = glm::inverse(glm::dmat3(affine_axes(rest_frame))) * (point - origin(rest_frame));
            const Affine frame = to.frame(b, at);
            return origin(frame) + glm::dmat3(affine_axes(frame)) * local;
          };
          const Affine at_rest = own_rest.frame(bone, lambda);
          for (const int i : {1, 2}) {
            const glm::dvec3 point = origin(at_rest) + 0.3 * axis(at_rest, i);
            const std::size_t opposite = own.curve.bone_count() - 1 - bone;
            EXPECT_LT(glm::distance(moved(own_rest, own_posed, bone, lambda, point),
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

// ------------------------------------------------------------------------------------------------------------ twist

// Returns the angles by which frames have turned about x from those of the pose without twist.
std::vector<double> twist_at(const TestCurve& own, std::span<const glm::mat4> joints, std::span<const float> twists,
                             std::size_t bone, const std::vector<float>& lambdas) {
  const PosedCurve rest = own.posed(own.posed_joints(Turns(joints.size(), kNoTurn)));
  const PosedCurve posed = own.posed(joints, twists);
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
    const TestCurve own(straight(5), top);
    // Turn of each joint about x against the one before it, counted from the top.
    const double turns[] = {40, 70, 25, -30, 50};
    Turns all;
    for (const double degrees : turns) all.push_back(turn(degrees, {1, 0, 0}));
    const std::vector<glm::mat4> joints = own.posed_joints(all);
    // The whole chain turns with its top, and each joint by the turns between.
    double expected[5];
    expected[top] = turns[top];
    for (std::size_t i = top + 1; i < 5; ++i) expected[i] = expected[i - 1] + turns[i];
    for (std::size_t i = top; i-- > 0;) expected[i] = expected[i + 1] + turns[i];
    for (std::size_t bone = 0; bone < 4; ++bone) {
      const std::vector<double> twist = twist_at(own, joints, {}, bone, {0.0f, 0.5f, 1.0f});
      expect_angle(twist[0], expected[bone]);
      expect_angle(twist[1], 0.5 * (expected[bone] + expected[bone + 1]));
      expect_angle(twist[2], expected[bone + 1]);
    }
  }
}

TEST(CurveTwist, OfMoreThanHalfATurnIsToldByThePose) {
  for (const std::size_t top : {std::size_t{0}, std::size_t{2}}) {
    SCOPED_TRACE(top);
    const TestCurve own(straight(3), top);
    const std::size_t end = top == 0 ? 2 : 0;
    Turns turns(3, kNoTurn);
    turns[end] = turn(270, {1, 0, 0});
    const std::vector<glm::mat4> joints = own.posed_joints(turns);
    const std::size_t bone = top == 0 ? 1 : 0;
    // The twist is about the direction away from the top.
    const double sign = top == 0 ? 1 : -1;
    const std::pair<double, double> cases[] = {{0, -90},   {-90, -90}, {270, 270},  {250, 270},
                                               {400, 270}, {500, 630}, {-400, -450}};
    for (const auto& [told, taken] : cases) {
      std::vector<float> twists(3, 0.0f);
      twists[end] = static_cast<float>(glm::radians(sign * told));
      expect_angle(twist_at(own, joints, twists, bone, {0.5f})[0], taken / 2);
      expect_angle(twist_at(own, joints, twists, bone, {top == 0 ? 1.0f : 0.0f})[0], 270);
    }
    expect_angle(twist_at(own, joints, {}, bone, {0.5f})[0], -45);
  }
}

// A tip moves with the joint before it, whose twist must not count twice.
TEST(CurveTwist, OfATipIsThatOfItsJoint) {
  for (const bool reversed : {false, true}) {
    SCOPED_TRACE(reversed);
    TestCurve own(straight(4));
    own.curve.chain.anchors[3].joint = 2;
    if (reversed) own = own.reversed();
    Turns turns(4, kNoTurn);
    turns[2] = turn(270, {1, 0, 0});
    std::vector<glm::mat4> joints = TestCurve(straight(4)).posed_joints(turns);
    std::vector<float> twists(4, 0.0f);
    twists[2] = static_cast<float>(glm::radians(270.0));
    const double sign = reversed ? -1 : 1;
    for (const float lambda : {0.0f, 0.25f, 0.5f, 1.0f}) {
      const PosedCurve rest = own.posed(TestCurve(straight(4)).posed_joints(Turns(4, kNoTurn)));
      const PosedCurve posed = own.posed(joints, twists);
      const std::size_t bone = reversed ? 0 : 2;
      const Affine frame = posed.frame(bone, lambda);
      expect_angle(sign * degrees_about(axis(frame, 0), axis(rest.frame(bone, lambda), 1), axis(frame, 1)), 270);
    }
  }
}

TEST(CurveTwist, ArrivesWhereTheDistributionSays) {
  TestCurve own(straight(3));
  own.curve.spans[1].twist = {{0, 0}, {0.5f, 0.1f}, {1, 1}};
  const std::vector<glm::mat4> joints = own.posed_joints(Turns{kNoTurn, kNoTurn, turn(100, {1, 0, 0})});
  for (const bool smooth : {false, true}) {
    own.curve.spans[1].smooth_twist = smooth;
    const std::vector<double> twist = twist_at(own, joints, {}, 1, {0.0f, 0.25f, 0.5f, 0.75f, 1.0f});
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

// ------------------------------------------------------------------------------------------------------- references

// Returns how far the frame at the middle joint has rolled about the curve, against one that is carried along without
// turning. The joint bends about an axis halfway between y and z.
double roll(CurveReference reference, double bend) {
  TestCurve own(straight(3));
  own.curve.reference = reference;
  const std::vector<glm::mat4> joints = own.posed_joints(Turns{kNoTurn, turn(bend, {0, 1, 1}), kNoTurn});
  const PosedCurve curve = own.posed(joints);
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

// The y and z of the joints are turned at random about the curve. Another axis is taken where frames would turn by more
// than 90 degrees along a bone.
TEST(CurveReferenceAxis, IsAnotherWhereZRunsAlongTheCurve) {
  const TestCurve own(straight(8), 0, glm::dvec3(1, 0, 0));
  const PosedCurve curve = own.posed(own.posed_joints(Turns(8, kNoTurn)));
  EXPECT_LT(degrees_between(axis(curve.frame(0, 0), 2), glm::dvec3(own.at_bind()[0][1])), 0.05);
  for (std::size_t bone = 0; bone < 7; ++bone) {
    const glm::dvec3 z = axis(curve.frame(bone, 1), 2);
    const glm::dmat3 joint(own.at_bind()[bone + 1]);
    const double along = std::max(std::abs(glm::dot(z, joint[0])), std::abs(glm::dot(z, joint[1])));
    EXPECT_NEAR(along, 1, 1e-5) << "an axis of the joint";
    EXPECT_LT(degrees_between(axis(curve.frame(bone, 0), 1), axis(curve.frame(bone, 1), 1)), 90.1) << bone;
  }
  const PosedCurve turned = own.posed(own.posed_joints(Turns(8, kNoTurn), rigid_motion()));
  const glm::dvec3 expected = glm::dmat3(rigid_motion()) * axis(curve.frame(1, 0.5f), 1);
  EXPECT_LT(degrees_between(axis(turned.frame(1, 0.5f), 1), expected), 0.01);
}

// ------------------------------------------------------------------------------------------------------- wild poses

TEST(Curve, IsFiniteInAnyPose) {
  for (const CurveFrames frames : all_frames()) {
    TestCurve own(straight(4));
    own.curve.frames = frames;
    own.curve.anchors[1].before = {0.1f, 0.2f, 0};
    const std::vector<glm::mat4> rest = own.posed_joints(Turns(4, kNoTurn));
    std::vector<std::vector<glm::mat4>> poses;
    poses.emplace_back(4, glm::mat4(0));
    poses.emplace_back(4, glm::mat4(1));
    for (const double degrees : {179.999, 180.0, 180.001, 360.0}) {
      for (const glm::dvec3 about : {glm::dvec3(1, 0, 0), glm::dvec3(0, 1, 0), glm::dvec3(1, 1, 1)}) {
        poses.push_back(own.posed_joints(Turns(4, turn(degrees, about))));
      }
    }
    for (const glm::vec3 scale : {glm::vec3(0), glm::vec3(-1), glm::vec3(1, 0, 1), glm::vec3(1e-20f), glm::vec3(1e15f),
                                  glm::vec3(1e12f, 1e-12f, 1)}) {
      poses.push_back(rest);
      poses.back()[2] = glm::scale(poses.back()[2], scale);
      poses.push_back(rest);
      for (glm::mat4& joint : poses.back()) joint = glm::scale(glm::mat4(1), scale) * joint;
    }
    poses.push_back(rest);
    std::swap(poses.back()[1], poses.back()[2]);
    for (std::size_t p = 0; p < poses.size(); ++p) {
      const PosedCurve curve = own.posed(poses[p]);
      for (std::size_t bone = 0; bone < 3; ++bone) {
        for (int k = 0; k <= 16; ++k) {
          const Affine frame = curve.frame(bone, static_cast<float>(k) / 16);
          for (int row = 0; row < 3; ++row) {
            for (int c = 0; c < 4; ++c) {
              ASSERT_TRUE(std::isfinite(frame[row][c])) << "pose " << p << ", bone " << bone << ", step " << k;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace pelt::chain
