// SPDX-License-Identifier: MIT
// Timing that compares: every contender runs once a round, in an order that changes from round to round, so that what
// disturbs the machine disturbs all of them. Ratios are taken within rounds. (Google Benchmark interleaves too, but
// keeps no pairs.)
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <pelt/result.h>

namespace pelt::samples {

// Runs once and says how many seconds that took.
using Contender = std::function<Result<double>()>;

// seconds[c][r]: contender c in round r. A round before the first warms up and does not count.
Result<std::vector<std::vector<double>>> interleave(std::span<const Contender> contenders, std::size_t rounds);

struct Spread {
  double low = 0;  // quartiles
  double median = 0;
  double high = 0;

  // Wider than this, a figure says more of the machine's other work than of the contender.
  bool steady() const { return high - low <= 0.3 * median; }
};

// Precondition: there is a value.
Spread spread_of(std::vector<double> values);

// Of a[r] / b[r]. Shape: equal sizes.
Spread ratio_of(std::span<const double> a, std::span<const double> b);

}  // namespace pelt::samples
