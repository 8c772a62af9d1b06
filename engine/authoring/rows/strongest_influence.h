// SPDX-License-Identifier: MIT
// The influence with the largest weight in a row.
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

}  // namespace pelt
