// SPDX-License-Identifier: MIT
#include "shaders/power.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pelt::shared {
namespace {

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

}  // namespace
}  // namespace pelt::shared
