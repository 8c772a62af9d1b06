// SPDX-License-Identifier: MIT
// The functions that shaders and the CPU share.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/quaternion.hpp>
#include <limits>
#include <random>

#include <pelt/shaders/octahedral.h>

#include "shaders/angle.h"
#include "shaders/power.h"
#include "shaders/spline.h"
#include "shaders/swing_twist.h"

namespace pelt::shared {
namespace {

// -------------------------------------------------------------------------------------------------------------- angles

constexpr double kNearly = 3e-7;

TEST(Angle, SinesAndCosinesAreExactEverywhere) {
  for (int i = -20'000; i <= 20'000; ++i) {
    const float angle = 5e-4f * static_cast<float>(i);
    const double reduced = static_cast<double>(reduced_angle(angle));
    ASSERT_NEAR(sin_of(angle), std::sin(reduced), kNearly) << angle;
    ASSERT_NEAR(cos_of(angle), std::cos(reduced), kNearly) << angle;
    ASSERT_NEAR(sin_of(angle), std::sin(static_cast<double>(angle)), 1e-6) << angle << ": reduction rounds";
  }
}

TEST(Angle, SinesOfSmallAnglesAreExactInProportion) {
  for (float angle = 1e-20f; angle < 1; angle *= 1.7f) {
    ASSERT_NEAR(sin_of(angle) / static_cast<double>(angle), std::sin(static_cast<double>(angle)) / angle, kNearly);
  }
  EXPECT_EQ(sin_of(0), 0);
  EXPECT_EQ(cos_of(0), 1);
}

TEST(Angle, ArcTangentsAreExactAllRound) {
  for (int i = -31'415; i <= 31'415; ++i) {
    const double angle = 1e-4 * i;
    for (const float length : {1e-15f, 1.0f, 3e15f}) {
      const auto x = static_cast<float>(length * std::cos(angle));
      const auto y = static_cast<float>(length * std::sin(angle));
      ASSERT_NEAR(atan_of(y, x), std::atan2(static_cast<double>(y), static_cast<double>(x)), kNearly) << angle;
    }
  }
  EXPECT_EQ(atan_of(0, 0), 0);
  EXPECT_EQ(atan_of(0, 1), 0);
  EXPECT_NEAR(atan_of(0, -1), 0.5f * kWholeTurn, kNearly);
  EXPECT_NEAR(atan_of(-1e-30f, -1), -0.5f * kWholeTurn, kNearly);
  EXPECT_NEAR(atan_of(1e-30f, 1), 1e-30f, 1e-36f);
}

TEST(Angle, LargeAnglesStayFinite) {
  for (const float angle : {1e8f, -3e20f, std::numeric_limits<float>::max()}) {
    EXPECT_TRUE(std::isfinite(sin_of(angle))) << angle;
    EXPECT_TRUE(std::isfinite(cos_of(angle))) << angle;
  }
}

// ----------------------------------------------------------------------------------------------- octahedral directions

// Returns degrees; in double precision, since the angles of floats are exact to only 0.02 degrees.
double angle_between(glm::dvec3 a, glm::dvec3 b) {
  return glm::degrees(std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b)));
}

// Returns the largest angle, in degrees, between a direction and its packed and unpacked copy: for random directions,
// and for those halfway between two of the `steps` numbers of either sign, the worst case of rounding.
double worst_error(int steps, const std::function<vec3(vec3)>& packed_and_unpacked) {
  double worst = 0;
  const auto look = [&](glm::dvec3 direction) {
    const vec3 unit(glm::normalize(direction));
    worst = std::max(worst, angle_between(unit, packed_and_unpacked(unit)));
  };
  std::mt19937_64 engine(1);
  std::normal_distribution<double> any;
  std::uniform_int_distribution<int> step(-steps, steps - 1);
  std::uniform_real_distribution<double> little(0.499, 0.501);
  for (int i = 0; i < 200000; ++i) {
    look({any(engine), any(engine), any(engine)});
    const double x = (step(engine) + little(engine)) / steps;
    const double y = (step(engine) + little(engine)) / steps;
    const double z = 1 - std::abs(x) - std::abs(y);
    const double fold = std::max(-z, 0.0);
    look({x + (x >= 0 ? -fold : fold), y + (y >= 0 ? -fold : fold), z});
  }
  return worst;
}

// Packing to integers must not get NaN.
TEST(Octahedral, ProjectsVectorsThatAreNone) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const vec3 none : {vec3(0), vec3(kNan), vec3(kNan, 0, -1), vec3(0, kNan, 1), vec3(kInfinity), vec3(-kInfinity),
                          vec3(1, -kInfinity, 0), vec3(3e38f), vec3(1e-45f, 0, 0)}) {
    const vec2 projected = octahedral_from_unit(none);
    EXPECT_TRUE(abs(projected.x) <= 2 && abs(projected.y) <= 2) << projected.x << ' ' << projected.y;
  }
}

// Checks the header's statement: the error is not larger, and not much smaller.
void expect_stated(double worst, double stated) {
  EXPECT_LE(worst, stated);
  EXPECT_GE(worst, 0.9 * stated);
}

TEST(Octahedral, NormalsOf16BitsErrAsStated) {
  expect_stated(worst_error(32767, [](vec3 n) { return unpack_normal(pack_normal(n)); }), 0.004);
}

TEST(Octahedral, TangentsOf16BitsErrAsStated) {
  for (const float hand : {1.0f, -1.0f}) {
    expect_stated(worst_error(16383, [&](vec3 t) { return vec3(unpack_tangent(pack_tangent(vec4(t, hand)))); }), 0.008);
  }
}

TEST(Octahedral, HandednessIsKept) {
  std::mt19937 engine(1);
  std::normal_distribution<float> any;
  for (int i = 0; i < 1000; ++i) {
    const vec3 t = normalize(vec3(any(engine), any(engine), any(engine)));
    for (const float hand : {1.0f, -1.0f}) EXPECT_EQ(unpack_tangent(pack_tangent(vec4(t, hand))).w, hand);
  }
}

TEST(Octahedral, AxesOf16BitsAreExact) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const float sign : {1.0f, -1.0f}) {
      vec3 n(0);
      n[axis] = sign;
      EXPECT_EQ(unpack_normal(pack_normal(n)), n);
    }
  }
}

// -------------------------------------------------------------------------------------------------------------- powers

constexpr double kPowersNearly = 3e-7;

TEST(Power, LogarithmsAreExact) {
  for (float x = std::numeric_limits<float>::min(); x < 1e38f; x *= 1.0013f) {
    const double exact = std::log2(static_cast<double>(x));
    ASSERT_NEAR(log2_of(x), exact, kPowersNearly * std::max(1.0, std::abs(exact))) << x;
  }
  EXPECT_EQ(log2_of(1), 0);
  EXPECT_EQ(log2_of(8), 3);
}

TEST(Power, PowersOfTwoAreExactInProportion) {
  for (int i = -125'000; i <= 126'000; ++i) {
    const float x = 1e-3f * static_cast<float>(i);
    const double exact = std::exp2(static_cast<double>(x));
    ASSERT_NEAR(exp2_of(x) / exact, 1, kPowersNearly) << x;
  }
  EXPECT_EQ(exp2_of(0), 1);
  EXPECT_EQ(exp2_of(-3), 0.125f);
}

TEST(Power, StaysFiniteAndPositiveBeyondItsRange) {
  for (const float x : {-1e30f, -200.0f, -126.4f, 127.4f, 127.9f, 200.0f, 1e30f}) {
    EXPECT_TRUE(std::isfinite(exp2_of(x))) << x;
    EXPECT_GT(exp2_of(x), 0) << x;
  }
}

TEST(Power, OtherFunctionsFollow) {
  for (float x = 0.05f; x < 20; x *= 1.01f) {
    const auto exact = static_cast<double>(x);
    ASSERT_NEAR(power_of(x, -1.7f) / std::pow(exact, -1.7), 1, 3e-6) << x;
    ASSERT_NEAR(exp_of(-x) / std::exp(-exact), 1, 2e-6) << x;
  }
}

// ------------------------------------------------------------------------------------------------------------- splines

TEST(Spline, BasisSumsToOneAndMeetsItsNeighbour) {
  for (int k = 0; k <= 100; ++k) {
    const vec4 basis = spline_basis(static_cast<float>(k) / 100);
    EXPECT_NEAR(dot(basis, vec4(1)), 1, 3e-7);
    EXPECT_NEAR(dot(spline_slope(static_cast<float>(k) / 100), vec4(1)), 0, 3e-7);
    for (int i = 0; i < 4; ++i) EXPECT_GE(basis[i], 0);
  }
  for (const auto& of : {spline_basis, spline_slope}) {
    const vec4 end = of(1);
    const vec4 start = of(0);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(end[i + 1], start[i], 1e-7);
    EXPECT_EQ(end[0], 0);
    EXPECT_EQ(start[3], 0);
  }
}

TEST(Spline, ReproducesLinesAndTheirSlope) {
  for (int k = 0; k <= 20; ++k) {
    const float u = static_cast<float>(k) / 20;
    EXPECT_NEAR(dot(spline_basis(u), vec4(-1, 0, 1, 2)), u, 5e-7);
    EXPECT_NEAR(dot(spline_slope(u), vec4(-1, 0, 1, 2)), 1, 5e-7);
  }
}

TEST(Spline, SlopeIsTheDerivative) {
  constexpr float kStep = 1.0f / 64;
  for (int k = 1; k < 64; ++k) {
    const float u = static_cast<float>(k) / 64;
    // For cubics the error of central differences is the third derivative, at most 3, times step^2 / 6.
    const vec4 expected = (spline_basis(u + kStep) - spline_basis(u - kStep)) / (2 * kStep);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(spline_slope(u)[i], expected[i], 0.6f * kStep * kStep) << u << ' ' << i;
  }
}

// A helix of radius 1 and pitch 2 pi. A frame that does not turn about its curve turns against the helix's own normal
// by torsion times length, which is 1/2 times sqrt(2) a radian.
vec3 helix(float t) { return vec3(std::cos(t), std::sin(t), t); }
vec3 helix_tangent(float t) { return normalize(vec3(-std::sin(t), std::cos(t), 1)); }

TEST(DoubleReflection, DoesNotTurnAboutTheCurve) {
  const float length = 5;
  const float torsion = std::sqrt(0.5f);
  double before = 0;
  for (const int steps : {10, 20, 40}) {
    vec3 y(-1, 0, 0);  // the normal at 0
    for (int k = 0; k < steps; ++k) {
      const float from = length * static_cast<float>(k) / static_cast<float>(steps);
      const float to = length * static_cast<float>(k + 1) / static_cast<float>(steps);
      y = double_reflection(y, helix(from), helix_tangent(from), helix(to), helix_tangent(to));
      EXPECT_NEAR(dot(y, y), 1, 1e-5);
      EXPECT_NEAR(dot(y, helix_tangent(to)), 0, 1e-5);
    }
    const vec3 normal(-std::cos(length), -std::sin(length), 0);
    const vec3 x = helix_tangent(length);
    const double turned = std::atan2(dot(cross(normal, y), x), dot(normal, y));
    const double error = std::abs(std::remainder(turned + torsion * length, 2 * glm::pi<double>()));
    EXPECT_LT(error, 0.05);
    // The error is of fourth order.
    if (before > 1e-4) {
      EXPECT_LT(error, before / 8);
    }
    before = error;
  }
}

TEST(DoubleReflection, OfAChordThatIsRoundingTakesTheLeastTurn) {
  const vec3 x0(1, 0, 0);
  const vec3 x1 = normalize(vec3(1, 1, 0));
  const vec3 p(3, 4, 5);
  for (const vec3 chord : {vec3(0), vec3(0, 1e-7f, 0), vec3(0, 0, 1e-20f)}) {
    const vec3 y = double_reflection(vec3(0, 1, 0), p, x0, p + chord, x1);
    EXPECT_LT(distance(y, normalize(vec3(-1, 1, 0))), 1e-6f);
    EXPECT_LT(distance(double_reflection(vec3(0, 0, 1), p, x0, p + chord, x1), vec3(0, 0, 1)), 1e-6f);
  }
  const vec3 back = double_reflection(vec3(0, 1, 0), p, x0, p, -x0);
  EXPECT_TRUE(std::isfinite(dot(back, back))) << "turned round";
}

TEST(TurnedAbout, IsARotation) {
  const vec3 x = normalize(vec3(1, 2, 2));
  const vec3 y = normalize(cross(x, vec3(0, 0, 1)));
  for (const float angle : {0.0f, 0.5f, 2.0f, -3.0f, 7.0f}) {
    EXPECT_LT(distance(turned_about(x, y, angle), glm::angleAxis(angle, x) * y), 1e-6f);
  }
}

// ----------------------------------------------------------------------------------------------------- swing and twist

vec4 words(const glm::quat& q) { return vec4(q.x, q.y, q.z, q.w); }

const vec3 kAxis = normalize(vec3(2, -1, 2));
const vec3 kAcross = normalize(cross(kAxis, vec3(0, 0, 1)));

TEST(SwingTwist, TwistIsFoundUnderAnySwing) {
  for (int twist = -175; twist <= 175; twist += 25) {
    for (int swing = 0; swing <= 170; swing += 34) {
      const float angle = glm::radians(static_cast<float>(twist));
      const glm::quat q =
          glm::angleAxis(glm::radians(static_cast<float>(swing)), kAcross) * glm::angleAxis(angle, kAxis);
      EXPECT_NEAR(twist_angle(words(q), kAxis), angle, 2e-5) << twist << ' ' << swing;
      EXPECT_NEAR(twist_angle(-words(q), kAxis), angle, 2e-5) << "the same turn";
    }
  }
}

TEST(SwingTwist, WholeTurnsAreNone) {
  EXPECT_NEAR(twist_angle(quaternion_about(kAxis, glm::radians(270.0f)), kAxis), glm::radians(-90.0f), 1e-5);
  EXPECT_NEAR(twist_angle(quaternion_about(kAxis, glm::radians(360.0f)), kAxis), 0, 1e-5);
  EXPECT_NEAR(std::abs(twist_angle(quaternion_about(kAxis, glm::radians(180.0f)), kAxis)), glm::pi<float>(), 1e-5);
}

TEST(SwingTwist, HalfATurnAcrossHasNone) {
  EXPECT_EQ(twist_angle(vec4(0, 1, 0, 0), vec3(1, 0, 0)), 0);
  EXPECT_EQ(twist_angle(vec4(0), vec3(1, 0, 0)), 0);
}

TEST(SwingTwist, HalfATurnTwiceIsTheTurn) {
  for (const float degrees : {0.0f, 30.0f, 120.0f, 179.0f, 200.0f, 350.0f}) {
    const vec4 q = quaternion_about(kAxis, glm::radians(degrees));
    const vec4 half = half_turn(q);
    const vec4 twice = quaternion_product(half, half);
    EXPECT_NEAR(std::abs(dot(twice, q)), 1, 1e-6) << degrees;
    EXPECT_GE(half.w, std::sqrt(0.5f) - 1e-4f) << "by the shorter way";
  }
}

TEST(SwingTwist, PartsOfATurnAreByTheShorterWay) {
  for (const float degrees : {0.0f, 1e-4f, 30.0f, 120.0f, 179.0f, 200.0f, 350.0f}) {
    for (const float part : {0.0f, 0.3f, 0.5f, 1.0f}) {
      const float shorter = degrees > 180 ? degrees - 360 : degrees;
      const vec4 turned = partial_turn(quaternion_about(kAxis, glm::radians(degrees)), part);
      EXPECT_LT(distance(turned, quaternion_about(kAxis, glm::radians(part * shorter))), 1e-6f) << degrees;
    }
  }
}

TEST(SwingTwist, RotatesAndComesBack) {
  const glm::quat q = glm::angleAxis(2.3f, kAxis);
  for (const vec3 v : {vec3(1, 0, 0), vec3(-2, 3, 0.5f), vec3(0)}) {
    EXPECT_LT(distance(quaternion_rotate(words(q), v), q * v), 2e-6f);
    EXPECT_LT(distance(quaternion_rotate(quaternion_conjugate(words(q)), quaternion_rotate(words(q), v)), v), 2e-6f);
  }
}

TEST(SwingTwist, RotationOfAJointForgetsItsScale) {
  const glm::quat q = glm::angleAxis(1.1f, kAxis);
  for (const float scale : {1.0f, 0.01f, 250.0f}) {
    const mat4 joint = glm::mat4_cast(q) * mat4(mat3(scale));
    const PoseWork work{nullptr, &joint, nullptr, nullptr, nullptr};
    EXPECT_NEAR(std::abs(dot(joint_rotation(work, 0), words(q))), 1, 1e-6);
  }
}

}  // namespace
}  // namespace pelt::shared
