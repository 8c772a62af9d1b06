// SPDX-License-Identifier: MIT
#include <limits>
#include <numeric>

#include <pelt/sparse_rows.h>

#include "tests/support/refused.h"

namespace pelt {
namespace {

SparseRows rows_of(std::initializer_list<std::vector<Influence>> list) {
  SparseRows rows;
  for (const std::vector<Influence>& row : list) rows.append_row(row);
  return rows;
}

double sum_of(std::span<const Influence> row) {
  return std::accumulate(row.begin(), row.end(), 0.0, [](double sum, Influence i) { return sum + i.weight; });
}

TEST(SparseRows, EmptyRowsAreValid) { EXPECT_TRUE(validate(SparseRows{}, 0, "none")); }

TEST(SparseRows, ValidationNamesTheRow) {
  const auto message = [](const SparseRows& rows) { return test::error_of(validate(rows, 3, "thing")); };
  EXPECT_EQ(message(rows_of({{{0, 0.5f}, {2, 0.5f}}})), "");
  EXPECT_THAT(message(rows_of({{{0, 1.0f}}, {{3, 1.0f}}})), testing::HasSubstr("thing: row 1 names element 3"));
  EXPECT_THAT(message(rows_of({{}})), testing::HasSubstr("row 0 has no influences"));
  EXPECT_THAT(message(rows_of({{{0, 0.5f}}})), testing::HasSubstr("row 0 sum"));
  EXPECT_THAT(message(rows_of({{{0, 1.5f}, {1, -0.5f}}})), testing::HasSubstr("-0.5"));
  EXPECT_NE(message(rows_of({{{0, std::numeric_limits<float>::quiet_NaN()}}})), "");
  SparseRows broken = rows_of({{{0, 1.0f}}, {{1, 1.0f}}});
  for (const std::vector<std::uint32_t>& offsets : {{0, 2, 1}, {1, 2}, {}, std::vector{0u, 9u, 2u}}) {
    broken.offsets = offsets;
    EXPECT_NE(message(broken), "");
  }
}

TEST(SparseRows, HardCutKeepsTheLargest) {
  std::vector<WeightedElement> row{{4, 1}, {2, 3}, {7, 1}, {1, 5}};
  EXPECT_EQ(cut_row(row, 3, Cut::kHard), 1u);
  ASSERT_EQ(row.size(), 3u);
  EXPECT_EQ(row[0].index, 1u);
  EXPECT_EQ(row[1].index, 2u);
  EXPECT_EQ(row[2].index, 4u) << "ties go to the lower index";
  EXPECT_DOUBLE_EQ(row[0].weight, 5.0 / 9);
}

TEST(SparseRows, ContinuousCutSubtractsTheNext) {
  std::vector<WeightedElement> row{{0, 5}, {1, 3}, {2, 1}};
  EXPECT_EQ(cut_row(row, 2, Cut::kContinuous), 1u);
  EXPECT_DOUBLE_EQ(row[0].weight, 4.0 / 6);
  EXPECT_DOUBLE_EQ(row[1].weight, 2.0 / 6);
}

TEST(SparseRows, ContinuousCutDoesNotJumpWhereRanksChange) {
  const auto weight_of_zero = [](double a) {
    std::vector<WeightedElement> row{{0, a}, {1, 1}, {2, 2}};
    cut_row(row, 2, Cut::kContinuous);
    for (const WeightedElement& element : row) {
      if (element.index == 0) return element.weight;
    }
    return 0.0;
  };
  EXPECT_NEAR(weight_of_zero(1 - 1e-9), weight_of_zero(1 + 1e-9), 1e-8);
}

TEST(SparseRows, TiesAllRoundBecomeEqualWeights) {
  std::vector<WeightedElement> row{{3, 0.1}, {1, 0.1}, {2, 0.1}};
  cut_row(row, 2, Cut::kContinuous);
  ASSERT_EQ(row.size(), 2u);
  EXPECT_EQ(row[0].index, 1u);
  EXPECT_EQ(row[1].index, 2u);
  EXPECT_DOUBLE_EQ(row[0].weight, 0.5);
}

TEST(SparseRows, ZeroMeansAll) {
  std::vector<WeightedElement> row{{0, 1e-30}, {1, 3e-30}};
  EXPECT_EQ(cut_row(row, 0, Cut::kContinuous), 0u);
  EXPECT_DOUBLE_EQ(row[0].weight, 0.75);
}

TEST(SparseRows, AppendMergesAndDropsAndSorts) {
  SparseRows rows;
  append_row(rows, std::vector<WeightedElement>{{5, 0.2}, {1, 0.3}, {5, 0.3}, {9, 1e-9}});
  ASSERT_EQ(rows.row(0).size(), 2u);
  EXPECT_EQ(rows.row(0)[0].index, 5u);
  EXPECT_FLOAT_EQ(rows.row(0)[0].weight, 0.625f);
  EXPECT_NEAR(sum_of(rows.row(0)), 1, 1e-7);
}

TEST(SparseRows, LongRowsMergeAsShortOnesDo) {
  for (const std::uint32_t count : {63u, 64u, 65u, 1234u}) {
    std::vector<WeightedElement> row;
    for (std::uint32_t i = 0; i < count; ++i) row.push_back({(i * 7) % 5, 1.0});
    SparseRows rows;
    append_row(rows, row);
    ASSERT_EQ(rows.row(0).size(), 5u);
    for (const Influence& influence : rows.row(0)) EXPECT_NEAR(influence.weight, 0.2, 1.0 / count);
    EXPECT_NEAR(sum_of(rows.row(0)), 1, 1e-6);
  }
}

TEST(SparseRows, SumsGiveWhatMergingGives) {
  WeightSums sums(8);
  std::vector<WeightedElement> row;
  for (int twice = 0; twice < 2; ++twice) {
    const std::vector<WeightedElement> parts{{3, 0.25}, {7, 0.125}, {3, 0.5}, {0, 0.0}, {1, 0.125}};
    for (const WeightedElement& part : parts) sums.add(part.index, part.weight);
    sums.take(10, row);
    SparseRows summed;
    append_distinct_row(summed, row);
    SparseRows merged;
    append_row(merged, std::vector<WeightedElement>{{13, 0.75}, {17, 0.125}, {11, 0.125}});
    EXPECT_EQ(summed, merged) << "what was taken before is gone";
  }
}

TEST(SparseRows, MergeIsAConvexCombination) {
  const SparseRows below = rows_of({{{0, 1.0f}}, {{0, 1.0f}}, {{0, 1.0f}}});
  const SparseRows above = rows_of({{{1, 1.0f}}, {{1, 1.0f}}, {{1, 0.5f}, {0, 0.5f}}});
  const SparseRows merged = merge_over(below, above, std::vector<float>{0.0f, 1.0f, 0.5f});
  EXPECT_EQ(merged.row(0).size(), 1u);
  EXPECT_EQ(merged.row(0)[0].index, 0u);
  EXPECT_EQ(merged.row(1)[0].index, 1u);
  EXPECT_FLOAT_EQ(merged.row(2)[0].weight, 0.75f);
  EXPECT_TRUE(validate(merged, 2, "merged"));
}

TEST(SparseRows, Statistics) {
  EXPECT_EQ(statistics(SparseRows{}).max_influences, 0u);
  const RowStatistics figures = statistics(rows_of({{{0, 1.0f}}, {{0, 0.5f}, {1, 0.25f}, {2, 0.25f}}}));
  EXPECT_DOUBLE_EQ(figures.mean_influences, 2.0);
  EXPECT_EQ(figures.max_influences, 3u);
}

// Dropped influences leave their gradients to the others; a sum other than 0, as of one of several groups, stays.
TEST(SparseRows, CutsKeepTheSumOfGradients) {
  SparseRows rows;
  const Influence row[] = {{1, 0.5f}, {2, 0.3f}, {3, 0.2f}};
  const glm::vec3 gradients[] = {{1, 0, 0}, {0, 2, 0}, {0, 0, 4}};
  rows.append_row(row, gradients);
  const SparseRows cut = cut_rows(rows, 2, Cut::kHard);
  ASSERT_EQ(cut.row(0).size(), 2u);
  const glm::vec3 sum = cut.row_gradients(0)[0] + cut.row_gradients(0)[1];
  EXPECT_LT(glm::distance(sum, glm::vec3(1, 2, 4)), 1e-6f);
  EXPECT_EQ(cut_rows(rows, 3, Cut::kHard).gradients, rows.gradients);
}

}  // namespace
}  // namespace pelt
