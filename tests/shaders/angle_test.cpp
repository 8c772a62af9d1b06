// SPDX-License-Identifier: MIT
#include "shaders/angle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pelt::shared {
namespace {

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

}  // namespace
}  // namespace pelt::shared
