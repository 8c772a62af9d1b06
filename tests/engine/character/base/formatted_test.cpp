// SPDX-License-Identifier: MIT
// Tests own text against fmt, which wrote the same sentences.
#include "engine/character/base/formatted.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace pelt {
namespace {

template <class Float>
void expect_equal(Float value) {
  EXPECT_EQ(formatted("{}", value), fmt::format("{}", value));
  EXPECT_EQ(formatted("{:g}", value), fmt::format("{:g}", value));
  EXPECT_EQ(formatted("{:.3g} {:.4g}", value, value), fmt::format("{:.3g} {:.4g}", value, value));
  EXPECT_EQ(formatted("{:.0f} {:.2f} {:.9f}", value, value, value),
            fmt::format("{:.0f} {:.2f} {:.9f}", value, value, value));
}

template <class Float, class Bits>
void expect_equal_floats() {
  for (const Float sign : {Float{1}, Float{-1}}) {
    for (const Float value : {Float{0}, std::numeric_limits<Float>::infinity(), std::numeric_limits<Float>::quiet_NaN(),
                              std::numeric_limits<Float>::max(), std::numeric_limits<Float>::min(),
                              std::numeric_limits<Float>::denorm_min(), Float{16777216}, Float(0.1), Float(1.0 / 3)}) {
      expect_equal(std::copysign(value, sign));
    }
  }
  for (int power = -20; power <= 20; ++power) {
    for (const double factor : {1.0, 1.5, 9.999999, -1.2345}) {
      expect_equal(static_cast<Float>(factor * std::pow(10.0, power)));
    }
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) expect_equal(std::bit_cast<Float>(static_cast<Bits>(random())));
}

TEST(Formatted, FloatsAreThoseOfFmt) {
  expect_equal_floats<float, std::uint32_t>();
  expect_equal_floats<double, std::uint64_t>();
}

TEST(Formatted, PutsTextAndIntegersIntoTheirPlaces) {
  EXPECT_EQ(formatted("nothing"), "nothing");
  EXPECT_EQ(formatted("{}{} of {}, '{}' {}", std::string("a"), "b", std::string_view("c"), 'd', ""), "ab of c, 'd' ");
  EXPECT_EQ(formatted("{} {}", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::uint64_t>::max()),
            "-9223372036854775808 18446744073709551615");
  EXPECT_EQ(formatted("{} {} {}.", std::uint8_t{7}, -3, 5u), "7 -3 5.");
  EXPECT_EQ(formatted("0x{:08x} {:016x}", 0xabcdu, std::uint64_t{0x123456789abcdef0}), "0x0000abcd 123456789abcdef0");
  EXPECT_EQ(formatted("{}", "braces {} of a value stay"), "braces {} of a value stay");
}

TEST(Formatted, WritesWhatAnArrayHasRoomFor) {
  char text[8];
  write_formatted(text, "{} of {}", 1u, "ten");
  EXPECT_STREQ(text, "1 of te");
  write_formatted(text, "{:g}", 0.5f);
  EXPECT_STREQ(text, "0.5");
  const std::string long_text(1000, 'x');
  EXPECT_EQ(formatted("{}!", long_text), long_text + "!");
}

TEST(Joined, HasTextBetween) {
  EXPECT_EQ(joined({}, ", "), "");
  EXPECT_EQ(joined(std::vector<std::string>{"a"}, ", "), "a");
  EXPECT_EQ(joined(std::vector<std::string>{"a", "", "c"}, ", "), "a, , c");
}

}  // namespace
}  // namespace pelt
