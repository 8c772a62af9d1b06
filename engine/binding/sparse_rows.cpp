// SPDX-License-Identifier: MIT
#include "engine/binding/sparse_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>

namespace pelt {
namespace {

constexpr double kLeastShare = 1e-7;  // of a row's sum: what a weight must exceed to be worth a fetch

bool stronger(const WeightedElement& a, const WeightedElement& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.index < b.index;
}

// Scales the weights to sum to 1; equal weights where they have no usable sum.
void normalise(std::span<WeightedElement> row, double least_sum) {
  double sum = 0;
  for (const WeightedElement& element : row) sum += element.weight;
  const double equal = 1.0 / static_cast<double>(row.size());
  for (WeightedElement& element : row) element.weight = sum > least_sum ? element.weight / sum : equal;
}

}  // namespace

Result<void> validate(const SparseRows& rows, std::size_t column_count, const std::string& what) {
  const auto broken = [&](const std::string& why) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", what, why));
  };
  if (rows.offsets.empty() || rows.offsets.front() != 0) return broken("row offsets do not start at 0");
  if (rows.offsets.back() != rows.influences.size()) {
    return broken(
        fmt::format("row offsets end at {}, but there are {} influences", rows.offsets.back(), rows.influences.size()));
  }
  for (std::size_t i = 0; i < rows.row_count(); ++i) {
    if (rows.offsets[i + 1] < rows.offsets[i]) return broken(fmt::format("offset of row {} descends", i + 1));
  }
  for (std::size_t i = 0; i < rows.row_count(); ++i) {
    if (rows.row(i).empty()) return broken(fmt::format("row {} has no influences", i));
    double sum = 0;
    for (const Influence& influence : rows.row(i)) {
      if (influence.index >= column_count) {
        return broken(fmt::format("row {} names element {} of {}", i, influence.index, column_count));
      }
      if (!std::isfinite(influence.weight) || influence.weight < 0) {
        return broken(fmt::format("row {} has the weight {}", i, influence.weight));
      }
      sum += influence.weight;
    }
    if (std::abs(sum - 1) > 1e-4) return broken(fmt::format("the weights of row {} sum to {}, not 1", i, sum));
  }
  return {};
}

std::size_t cut_row(std::vector<WeightedElement>& row, std::size_t k, Cut cut) {
  if (row.empty()) return 0;
  const std::size_t kept = k == 0 ? row.size() : std::min(k, row.size());
  const std::size_t dropped = row.size() - kept;
  double floor = 0;
  const bool sorted = std::is_sorted(row.begin(), row.end(), stronger);
  if (dropped > 0) {
    if (!sorted) std::nth_element(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(kept), row.end(), stronger);
    if (cut == Cut::kContinuous) floor = row[kept].weight;
    row.resize(kept);
  }
  if (!sorted) std::sort(row.begin(), row.end(), stronger);
  const double largest = row.front().weight;
  for (WeightedElement& element : row) element.weight = std::max(0.0, element.weight - floor);
  normalise(row, floor > 0 ? 1e-12 * static_cast<double>(kept) * largest : 0.0);
  return dropped;
}

void append_row(SparseRows& rows, std::span<const WeightedElement> row) {
  if (row.empty()) return rows.append_row({});
  constexpr std::size_t kFew = 64;  // that need no allocation
  WeightedElement few[kFew];
  std::vector<WeightedElement> many(row.size() > kFew ? row.size() : 0);
  const std::span<WeightedElement> merged = many.empty() ? std::span(few).first(row.size()) : std::span(many);
  std::copy(row.begin(), row.end(), merged.begin());
  std::sort(merged.begin(), merged.end(),
            [](const WeightedElement& a, const WeightedElement& b) { return a.index < b.index; });
  std::size_t count = 0;
  for (const WeightedElement& element : merged) {
    if (count > 0 && merged[count - 1].index == element.index) {
      merged[count - 1].weight += element.weight;
    } else {
      merged[count++] = element;
    }
  }
  append_distinct_row(rows, merged.first(count));
}

void append_distinct_row(SparseRows& rows, std::span<WeightedElement> row) {
  assert(!row.empty());
  double sum = 0;
  for (const WeightedElement& element : row) sum += element.weight;
  std::sort(row.begin(), row.end(), stronger);
  while (row.size() > 1 && row.back().weight <= kLeastShare * sum) row = row.first(row.size() - 1);
  normalise(row, 0.0);
  for (const WeightedElement& element : row) {
    rows.influences.push_back({element.index, static_cast<float>(element.weight)});
  }
  assert(rows.influences.size() <= std::numeric_limits<std::uint32_t>::max());
  rows.offsets.push_back(static_cast<std::uint32_t>(rows.influences.size()));
}

SparseRows cut_rows(const SparseRows& rows, std::size_t most, Cut cut) {
  SparseRows result;
  std::vector<WeightedElement> row;
  for (std::size_t i = 0; i < rows.row_count(); ++i) {
    row.clear();
    for (const Influence& influence : rows.row(i)) row.push_back({influence.index, influence.weight});
    cut_row(row, most, cut);
    append_row(result, row);
  }
  return result;
}

SparseRows merge_over(const SparseRows& below, const SparseRows& above, std::span<const float> mask) {
  assert(below.row_count() == mask.size() && above.row_count() == mask.size());
  SparseRows merged;
  merged.offsets.reserve(mask.size() + 1);
  std::vector<WeightedElement> row;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    row.clear();
    const double share = mask[i];
    if (share < 1) {
      for (const Influence& influence : below.row(i)) row.push_back({influence.index, (1 - share) * influence.weight});
    }
    if (share > 0) {
      for (const Influence& influence : above.row(i)) row.push_back({influence.index, share * influence.weight});
    }
    append_row(merged, row);
  }
  return merged;
}

RowStatistics statistics(const SparseRows& rows) {
  RowStatistics result;
  for (std::size_t i = 0; i < rows.row_count(); ++i) {
    result.max_influences = std::max(result.max_influences, static_cast<std::uint32_t>(rows.row(i).size()));
  }
  if (rows.row_count() > 0) {
    result.mean_influences = static_cast<double>(rows.influences.size()) / static_cast<double>(rows.row_count());
  }
  return result;
}

}  // namespace pelt
