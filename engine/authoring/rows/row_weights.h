// SPDX-License-Identifier: MIT
// The largest influence of a row of weights, and the weights that two rows share.
#pragma once

#include <algorithm>
#include <cassert>
#include <span>

#include <pelt/sparse_rows.h>

namespace pelt {

// Returns the influence with the largest weight, the first of equal ones. Precondition: the row is not empty.
inline const Influence& strongest_influence(std::span<const Influence> row) {
  assert(!row.empty());
  return *std::ranges::max_element(row, {}, &Influence::weight);
}

// Returns how much two rows of weights have in common, 0 to 1 if each sums to 1.
inline double weight_similarity(std::span<const Influence> one, std::span<const Influence> other) {
  double sum = 0;
  for (const Influence& a : one) {
    for (const Influence& b : other) {
      if (a.index == b.index) sum += std::min(a.weight, b.weight);
    }
  }
  return sum;
}

}  // namespace pelt
