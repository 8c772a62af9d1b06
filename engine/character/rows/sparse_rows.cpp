// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>

#include <pelt/sparse_rows.h>

#include "engine/character/base/invalid.h"

namespace pelt {
namespace {

constexpr double kMinShare = 1e-7;  // of a row's sum: smaller weights are not worth a fetch

bool stronger(const WeightedElement& a, const WeightedElement& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.index < b.index;
}

// Scales the weights to sum to 1; makes them equal if their sum is too small.
void normalise(std::span<WeightedElement> row, double least_sum) {
  double sum = 0;
  for (const WeightedElement& influence : row) sum += influence.weight;
  const double equal = 1.0 / static_cast<double>(row.size());
  for (WeightedElement& influence : row) influence.weight = sum > least_sum ? influence.weight / sum : equal;
}

// Appends the influences of row i with weights scaled by `share` and gradients scaled by `gradient_share`.
void add_influences(const SparseRows& rows, std::size_t i, double share, double gradient_share,
                    std::vector<WeightedElement>& row) {
  const std::span<const glm::vec3> gradients = rows.row_gradients(i);
  for (std::size_t k = 0; k < rows.row(i).size(); ++k) {
    const Influence& influence = rows.row(i)[k];
    const glm::dvec3 gradient = gradients.empty() ? glm::dvec3(0) : glm::dvec3(gradients[k]);
    row.push_back({influence.index, share * influence.weight, gradient_share * gradient});
  }
}

Gradients known_if(bool gradients) { return gradients ? Gradients::kKnown : Gradients::kNone; }

}  // namespace

Result<void> validate(const SparseRows& rows, std::size_t column_count, const std::string& what) {
  if (rows.offsets.empty() || rows.offsets.front() != 0) return invalid("{}: row offsets do not start at 0", what);
  if (rows.offsets.back() != rows.influences.size()) {
    return invalid("{}: row offsets end at {}, but there are {} influences", what, rows.offsets.back(),
                   rows.influences.size());
  }
  if (!rows.gradients.empty() && rows.gradients.size() != rows.influences.size()) {
    return invalid("{}: {} influences, but {} gradients", what, rows.influences.size(), rows.gradients.size());
  }
  for (std::size_t i = 0; i < rows.row_count(); ++i) {
    if (rows.offsets[i + 1] < rows.offsets[i]) return invalid("{}: offset of row {} descends", what, i + 1);
  }
  for (std::size_t i = 0; i < rows.row_count(); ++i) {
    if (rows.row(i).empty()) return invalid("{}: row {} has no influences", what, i);
    double sum = 0;
    for (const Influence& influence : rows.row(i)) {
      if (influence.index >= column_count) {
        return invalid("{}: row {} names element {}, but there are only {}", what, i, influence.index, column_count);
      }
      if (!std::isfinite(influence.weight) || influence.weight < 0) {
        return invalid("{}: row {} has the weight {}", what, i, influence.weight);
      }
      sum += influence.weight;
    }
    if (std::abs(sum - 1) > 1e-4) return invalid("{}: the weights of row {} sum to {}, not 1", what, i, sum);
  }
  return {};
}

std::size_t cut_row(std::vector<WeightedElement>& row, std::size_t k, Cut cut) {
  if (row.empty()) return 0;
  const std::size_t kept = k == 0 ? row.size() : std::min(k, row.size());
  const std::size_t dropped = row.size() - kept;
  double floor = 0;
  const bool sorted = std::ranges::is_sorted(row, stronger);
  if (dropped > 0) {
    if (!sorted) std::nth_element(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(kept), row.end(), stronger);
    if (cut == Cut::kContinuous) floor = row[kept].weight;
    row.resize(kept);
  }
  if (!sorted) std::sort(row.begin(), row.end(), stronger);
  const double largest = row.front().weight;
  for (WeightedElement& influence : row) influence.weight = std::max(0.0, influence.weight - floor);
  normalise(row, floor > 0 ? 1e-12 * static_cast<double>(kept) * largest : 0.0);
  return dropped;
}

void append_row(SparseRows& rows, std::span<const WeightedElement> row, Gradients gradients) {
  if (row.empty()) return rows.append_row({});
  constexpr std::size_t kFew = 64;  // rows up to this length need no allocation
  WeightedElement few[kFew];
  std::vector<WeightedElement> many(row.size() > kFew ? row.size() : 0);
  const std::span<WeightedElement> merged = many.empty() ? std::span(few).first(row.size()) : std::span(many);
  std::copy(row.begin(), row.end(), merged.begin());
  std::sort(merged.begin(), merged.end(),
            [](const WeightedElement& a, const WeightedElement& b) { return a.index < b.index; });
  std::size_t count = 0;
  for (const WeightedElement& influence : merged) {
    if (count > 0 && merged[count - 1].index == influence.index) {
      merged[count - 1].weight += influence.weight;
      merged[count - 1].gradient += influence.gradient;
    } else {
      merged[count++] = influence;
    }
  }
  append_distinct_row(rows, merged.first(count), gradients);
}

void append_distinct_row(SparseRows& rows, std::span<WeightedElement> row, Gradients gradients) {
  assert(!row.empty());
  double sum = 0;
  for (const WeightedElement& influence : row) sum += influence.weight;
  std::sort(row.begin(), row.end(), stronger);
  const auto left_out = std::remove_if(row.begin() + 1, row.end(), [&](const WeightedElement& influence) {
    return influence.weight <= kMinShare * sum &&
           (gradients == Gradients::kNone || influence.gradient == glm::dvec3(0));
  });
  row = row.first(static_cast<std::size_t>(left_out - row.begin()));
  normalise(row, 0.0);
  for (const WeightedElement& influence : row) {
    rows.influences.push_back({influence.index, static_cast<float>(influence.weight)});
    if (gradients == Gradients::kKnown) rows.gradients.emplace_back(influence.gradient);
  }
  assert(rows.influences.size() <= std::numeric_limits<std::uint32_t>::max());
  rows.offsets.push_back(static_cast<std::uint32_t>(rows.influences.size()));
}

SparseRows cut_rows(const SparseRows& rows, std::size_t most, Cut cut) {
  SparseRows result;
  std::vector<WeightedElement> row;
  for (std::size_t i = 0; i < rows.row_count(); ++i) {
    row.clear();
    add_influences(rows, i, 1, 1, row);
    glm::dvec3 left(0);  // sum of the dropped gradients
    for (const WeightedElement& influence : row) left += influence.gradient;
    cut_row(row, most, cut);
    for (const WeightedElement& influence : row) left -= influence.gradient;
    for (WeightedElement& influence : row) influence.gradient += influence.weight * left;
    append_row(result, row, known_if(!rows.gradients.empty()));
  }
  return result;
}

SparseRows merge_over(const SparseRows& below, const SparseRows& above, std::span<const float> mask,
                      std::span<const glm::vec3> mask_gradient) {
  assert(below.row_count() == mask.size() && above.row_count() == mask.size());
  assert(mask_gradient.empty() || mask_gradient.size() == mask.size());
  const Gradients gradients = known_if(!below.gradients.empty() || !above.gradients.empty());
  SparseRows merged;
  merged.offsets.reserve(mask.size() + 1);
  std::vector<WeightedElement> row;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    row.clear();
    const double share = mask[i];
    if (share < 1) add_influences(below, i, 1 - share, 1 - share, row);
    if (share > 0) add_influences(above, i, share, share, row);
    if (share > 0 && share < 1 && !mask_gradient.empty()) {
      const glm::dvec3 passing(mask_gradient[i]);
      for (const Influence& influence : below.row(i))
        row.push_back({influence.index, 0, -double{influence.weight} * passing});
      for (const Influence& influence : above.row(i))
        row.push_back({influence.index, 0, double{influence.weight} * passing});
    }
    append_row(merged, row, gradients);
  }
  return merged;
}

SparseRows merge_faded(const SparseRows& below, const SparseRows& above, std::span<const float> mask) {
  assert(below.row_count() == mask.size() && above.row_count() == mask.size());
  const Gradients gradients = known_if(!below.gradients.empty() || !above.gradients.empty());
  SparseRows merged;
  std::vector<WeightedElement> row;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    row.clear();
    if (mask[i] < 1) add_influences(below, i, 1 - double{mask[i]}, 1, row);
    if (mask[i] > 0) add_influences(above, i, mask[i], 1, row);
    append_row(merged, row, gradients);
  }
  return merged;
}

RowStatistics statistics(const SparseRows& rows) {
  RowStatistics result;
  for (std::size_t i = 0; i < rows.row_count(); ++i) {
    const auto moving =
        std::ranges::count_if(rows.row(i), [](const Influence& influence) { return influence.weight > 0; });
    result.max_influences = std::max(result.max_influences, static_cast<std::uint32_t>(moving));
    result.mean_influences += static_cast<double>(moving) / static_cast<double>(rows.row_count());
  }
  return result;
}

}  // namespace pelt
