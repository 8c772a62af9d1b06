// SPDX-License-Identifier: MIT
#include "shaders/spline.h"

#include <cmath>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/quaternion.hpp>

namespace pelt::shared {
namespace {

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

}  // namespace
}  // namespace pelt::shared
