// SPDX-License-Identifier: MIT
// Timing for comparisons: every contender runs once per round, in an order that changes between rounds, so that a
// disturbance of the machine affects all of them. Ratios are taken within rounds. (Google Benchmark also interleaves,
// but keeps no pairs.)
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <pelt/result.h>

#include "samples/pelt/table.h"

namespace pelt::samples {

// Runs once and returns the seconds that it took.
using Contender = std::function<Result<double>()>;

// Returns seconds[c][r] of contender c in round r. An extra round warms up first and does not count.
Result<std::vector<std::vector<double>>> interleave(std::span<const Contender> contenders, std::size_t rounds);

struct Spread {
  double low = 0;  // quartiles
  double median = 0;
  double high = 0;

  // True if the spread is narrow. A wide one measures the machine's other work rather than the contender.
  bool steady() const { return high - low <= 0.3 * median; }
};

// Returns median and quartiles. Precondition: there is a value.
Spread spread_of(std::vector<double> values);

// Returns the spread of a[r] / b[r]. Shape: equal sizes.
Spread ratio_of(std::span<const double> a, std::span<const double> b);

// Describe a spread by its quartiles, or a ratio, which is null if its rounds disagree.
Json to_json(const Spread& spread);
Json ratio_json(const Spread& ratio);

}  // namespace pelt::samples
