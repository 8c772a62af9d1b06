// SPDX-License-Identifier: MIT
#include "engine/binding/slope_rows.h"

#include <gtest/gtest.h>

#include <array>

namespace pelt {
namespace {

SlopeRows rows_of(std::initializer_list<std::vector<Slope>> rows) {
  SlopeRows result;
  for (const std::vector<Slope>& row : rows) result.append_row(row);
  return result;
}

TEST(SlopeRows, MergeByTheMask) {
  const SlopeRows below = rows_of({{{1, {1, 0, 0}}}, {{1, {2, 0, 0}}, {5, {0, 4, 0}}}, {{2, {0, 0, 1}}}, {}});
  const SlopeRows above = rows_of({{{7, {0, 1, 0}}}, {{7, {0, 0, 8}}}, {}, {{7, {0, 0, 0}}}});
  const std::array<float, 4> mask{0, 0.25f, 0.5f, 1};
  EXPECT_EQ(merge_over(below, above, mask),
            rows_of({{{1, {1, 0, 0}}}, {{1, {1.5f, 0, 0}}, {5, {0, 3, 0}}, {7, {0, 0, 2}}}, {{2, {0, 0, 0.5f}}}, {}}));
}

TEST(SlopeRows, MergeWithNone) {
  const SlopeRows some = rows_of({{{1, {1, 0, 0}}}, {{2, {1, 0, 0}}}});
  const std::array<float, 2> mask{0, 1};
  EXPECT_EQ(merge_over(some, {}, mask), rows_of({{{1, {1, 0, 0}}}, {}}));
  EXPECT_EQ(merge_over({}, some, mask), rows_of({{}, {{2, {1, 0, 0}}}}));
  EXPECT_EQ(merge_over({}, {}, mask), SlopeRows{});
  EXPECT_EQ(merge_over(some, {}, std::array<float, 2>{1, 1}), SlopeRows{}) << "no slope is left";
}

}  // namespace
}  // namespace pelt
