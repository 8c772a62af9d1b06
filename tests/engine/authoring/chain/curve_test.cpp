// SPDX-License-Identifier: MIT
// Checks posed curves and their frames against docs/mathematics.md section 2, which this file computes on its own in
// double precision.
#include "engine/authoring/chain/curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/engine/authoring/chain/turned_curves.h"

namespace pelt::chain {
namespace {

using test::TestCurve;
using test::turn;

// Returns the radius of the circle through three points.
double radius_through(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) {
  const double twice_area = glm::length(glm::cross(b - a, c - a));
  return glm::distance(a, b) * glm::distance(b, c) * glm::distance(c, a) / (2 * twice_area);
}

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
Spline spline_of(const TestCurve& limb, std::span<const glm::mat4> joints, const std::vector<double>& floats) {
  const std::size_t last = joints.size() - 1;
  std::vector<glm::dvec3> points;
  std::vector<double> arcs;
  for (std::size_t i = 0; i <= last; ++i) {
    const auto place = [&](std::size_t k) { return glm::dvec3(joints[limb.curve.chain.anchors[k].joint][3]); };
    const double arc = limb.curve.lengths[i];
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
double formula(const TestCurve& limb, std::size_t i, double theta) {
  const CurveAnchor& anchor = limb.curve.anchors[i];
  const double across = std::cos(theta / 2);
  const double wanted = limb.curve.float_margin * 2 * anchor.skin_distance * std::sin(theta / 2) / (across * across);
  return std::clamp(wanted, double{anchor.float_min}, double{anchor.float_max});
}

TEST(Curve, IsTheSplineOverItsControlPoints) {
  for (const bool posed : {false, true}) {
    SCOPED_TRACE(posed);
    TestCurve limb(kSixCrookedJoints);
    limb.curve.float_margin = 1.25f;
    Turns turns(kSixCrookedJoints.size(), kNoTurn);
    if (posed) turns = wild_turns(kSixCrookedJoints.size());
    const std::vector<glm::mat4> joints = limb.posed_joints(turns);
    std::vector<double> floats(joints.size(), 0);
    for (std::size_t i = 1; i + 1 < joints.size(); ++i) {
      const auto place = [&](std::size_t k) { return glm::dvec3(joints[k][3]); };
      floats[i] = formula(limb, i, glm::radians(degrees_between(place(i) - place(i - 1), place(i + 1) - place(i))));
    }
    const Spline expected = spline_of(limb, joints, floats);
    const PosedCurve curve = limb.posed(joints);
    for (std::size_t bone = 0; bone < limb.curve.bone_count(); ++bone) {
      if (bone > 0) {
        EXPECT_NEAR(curve.floating_distance(bone), floats[bone], 1e-5);
      }
      for (int k = 0; k <= 20; ++k) {
        const double lambda = k / 20.0;
        const double s = limb.curve.lengths[bone] + lambda * limb.curve.bone_length(bone);
        const double t = expected.parameter(s);
        const Affine frame = curve.frame(bone, static_cast<float>(lambda));
        EXPECT_LT(glm::distance(origin(frame), glm::dvec3(expected.at(t))), 5e-6) << bone << ' ' << lambda;
        EXPECT_LT(degrees_between(axis(frame, 0), expected.tangent(t)), 0.02) << bone << ' ' << lambda;
      }
      // J_i is at t = 3 i - 1.
      EXPECT_NEAR(expected.parameter(limb.curve.lengths[bone]), bone == 0 ? 0.0 : 3.0 * static_cast<double>(bone) - 1,
                  1e-6);
    }
    // It reaches both ends.
    EXPECT_LT(glm::distance(origin(curve.frame(0, 0)), glm::dvec3(joints.front()[3])), 2e-6);
    EXPECT_LT(glm::distance(origin(curve.frame(limb.curve.bone_count() - 1, 1)), glm::dvec3(joints.back()[3])), 2e-6);
  }
}

TEST(Curve, OfOneBoneIsAStraightLine) {
  for (const CurveFrames frames : {CurveFrames::kTangent, CurveFrames::kEndpoint, CurveFrames::kAuto}) {
    TestCurve limb({{1, 2, 3}, {2, 2.5, 2}});
    limb.curve.frames = frames;
    const std::vector<glm::mat4> joints = limb.posed_joints(Turns{turn(70, {1, 1, 0}), turn(80, {0, 1, 2})});
    const PosedCurve curve = limb.posed(joints);
    const glm::dvec3 from = glm::dvec3(joints[0][3]);
    const glm::dvec3 to = glm::dvec3(joints[1][3]);
    for (int k = 0; k <= 10; ++k) {
      const Affine frame = curve.frame(0, static_cast<float>(k) / 10);
      EXPECT_LT(glm::distance(origin(frame), glm::mix(from, to, k / 10.0)), 1e-6);
      EXPECT_LT(degrees_between(axis(frame, 0), to - from), 1e-3);
    }
  }
}

// The radius of curvature at the middle joint of `limb`, which bends by `degrees`, and the least radius anywhere. Both
// are those of circles through three points, whose curvature falls linearly with the distance of the points.
struct Radii {
  double at_joint;
  double least;
};

Radii radii(const TestCurve& limb, double degrees) {
  const std::vector<glm::mat4> joints = limb.posed_joints(Turns{kNoTurn, turn(degrees, {0, 0, 1}), kNoTurn});
  const PosedCurve curve = limb.posed(joints);
  const auto at = [&](double s) {  // distance from the joint, in bones
    return s < 0 ? origin(curve.frame(0, static_cast<float>(1 + s))) : origin(curve.frame(1, static_cast<float>(s)));
  };
  const auto radius = [&](double s, double step) { return radius_through(at(s - step), at(s), at(s + step)); };
  const double f = curve.floating_distance(1) / limb.curve.bone_length(0);
  const double step = 0.03 * f * std::cos(glm::radians(degrees / 2));
  Radii result{1 / (2 / radius(0, step) - 1 / radius(0, 2 * step)), 1e9};
  for (double s = -0.8; s <= 0.8; s += step) result.least = std::min(result.least, radius(s, step));
  return result;
}

TEST(Curve, RadiusOfCurvatureAtAJointFollowsTheFormula) {
  for (const double f : {0.1, 0.25, 0.4, 0.8}) {
    for (const double bend : {10.0, 30.0, 60.0, 90.0, 120.0, 150.0}) {
      SCOPED_TRACE(testing::Message() << "f " << f << ", bend " << bend);
      TestCurve limb({{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}});
      limb.curve.anchors[1].float_keys = {{0, static_cast<float>(f)}};
      limb.curve.anchors[1].float_max = static_cast<float>(f);
      const double half = glm::radians(bend / 2);
      const double expected = f * std::cos(half) * std::cos(half) / (2 * std::sin(half));
      EXPECT_NEAR(radii(limb, bend).at_joint, expected, 0.02 * expected);
    }
  }
}

TEST(Curve, FoldFreeBendsAreThoseOfTheTable) {
  const std::pair<double, double> table[] = {{1, 49}, {2, 76}, {3, 92}, {4, 103}, {6, 116}, {10, 130}};
  for (const auto& [ratio, expected] : table) {
    for (const float margin : {1.0f, 1.25f}) {
      SCOPED_TRACE(testing::Message() << "f_max / d = " << ratio << ", margin " << margin);
      TestCurve limb(straight(3, 2 * ratio));
      limb.curve.float_margin = margin;
      limb.curve.anchors[1].skin_distance = 1;
      limb.curve.anchors[1].float_min = 0.1f;
      limb.curve.anchors[1].float_max = static_cast<float>(ratio);
      // The bend is 2 x with 2 sin(x) / cos(x)^2 = f_max / d.
      const double sine = (std::sqrt(1 + ratio * ratio) - 1) / ratio;
      EXPECT_NEAR(glm::degrees(2 * std::asin(sine)), expected, 0.6);
      EXPECT_GE(radii(limb, expected - 1).at_joint, 0.995);
      EXPECT_LE(radii(limb, expected + 1).at_joint, 0.995);
      // The curve folds nowhere else before.
      EXPECT_GE(radii(limb, expected - 1).least, 0.98);
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
  for (const Case& one : cases) {
    SCOPED_TRACE(testing::Message() << one.points.size() << " joints, the second at " << one.points[2].x << ", d "
                                    << one.distance << ", bend " << one.bend);
    TestCurve limb(one.points);
    limb.curve.frames = CurveFrames::kAuto;
    for (CurveAnchor& anchor : limb.curve.anchors) {
      anchor.skin_distance = static_cast<float>(one.distance);
      anchor.float_max = 4;
    }
    Turns turns(one.points.size(), kNoTurn);
    for (std::size_t i = 1; i + 1 < one.points.size(); ++i) turns[i] = turn(one.bend, {0, 0, 1});
    const PosedCurve posed = limb.posed(limb.posed_joints(turns));
    const PosedCurve rest = limb.posed(limb.posed_joints(Turns(one.points.size(), kNoTurn)));
    std::optional<glm::dvec3> before;
    for (std::size_t bone = 0; bone < limb.curve.bone_count(); ++bone) {
      for (int k = bone == 0 ? 0 : 1; k <= 200; ++k) {
        const auto lambda = static_cast<float>(k) / 200;
        // The inside of the limb: at bind straight across the curve, in the plane of the bend.
        const Affine at_rest = rest.frame(bone, lambda);
        const glm::dvec3 inside = origin(at_rest) + glm::dvec3(0, one.distance, 0);
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
  TestCurve limb({{0, 0, 0}, {2, 0, 0}, {4, 0, 0}});
  for (CurveAnchor& anchor : limb.curve.anchors) anchor.bulge = {.volume = 1, .across = -1, .along = -1};
  for (const CurveFrames frames : {CurveFrames::kAuto, CurveFrames::kTangent, CurveFrames::kEndpoint}) {
    limb.curve.frames = frames;
    for (const double bend : {45.0, 90.0, 135.0}) {
      const PosedCurve posed = limb.posed(limb.posed_joints(Turns{kNoTurn, turn(bend, {0, 0, 1}), kNoTurn}));
      for (const float lambda : {0.5f, 0.8f, 0.95f, 1.0f}) {
        EXPECT_GT(glm::determinant(glm::dmat3(affine_axes(posed.frame(0, lambda)))), 1e-4) << bend << ' ' << lambda;
      }
    }
  }
}

TEST(Curve, FloatsClamp) {
  TestCurve limb(straight(4));
  limb.curve.float_margin = 1;
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    limb.curve.anchors[i].skin_distance = 0.2f;
    limb.curve.anchors[i].float_min = 0.12f;
    limb.curve.anchors[i].float_max = 0.45f;
  }
  double before = 0;
  for (int bend = 0; bend <= 180; bend += 5) {
    const PosedCurve curve = limb.posed(limb.posed_joints(Turns{kNoTurn, turn(bend, {0, 1, 0}), kNoTurn, kNoTurn}));
    const double expected = formula(limb, 1, glm::radians(static_cast<double>(bend)));  // 0.12 to 0.45
    EXPECT_NEAR(curve.floating_distance(1), expected, bend % 180 == 0 ? 1e-6 : 2e-3 * expected) << bend;
    EXPECT_GE(curve.floating_distance(1), before - 1e-6);
    before = curve.floating_distance(1);
    EXPECT_NEAR(curve.floating_distance(2), 0.12f, 1e-6f) << "another joint's bend";
    EXPECT_EQ(curve.floating_distance(0), 0);
  }
}

TEST(Curve, KeyedFloatsGoFromKeyToKey) {
  TestCurve limb(straight(3));
  const auto radians = [](double degrees) { return static_cast<float>(glm::radians(degrees)); };
  limb.curve.anchors[1].float_keys = {{radians(20), 0.2f}, {radians(60), 0.5f}, {radians(120), 0.3f}};
  const std::pair<double, double> expected[] = {{0, 0.2},  {20, 0.2},  {30, 0.275}, {60, 0.5},
                                                {90, 0.4}, {120, 0.3}, {150, 0.3},  {179, 0.3}};
  for (const auto& [bend, f] : expected) {
    const PosedCurve curve = limb.posed(limb.posed_joints(Turns{kNoTurn, turn(bend, {0, 1, 1}), kNoTurn}));
    EXPECT_NEAR(curve.floating_distance(1), f, 1e-5) << bend;
  }
}

}  // namespace
}  // namespace pelt::chain
