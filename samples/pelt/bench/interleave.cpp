// SPDX-License-Identifier: MIT
#include "samples/pelt/bench/interleave.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <pelt/try.h>

#include "samples/pelt/quality/measure.h"

namespace pelt::samples {

Result<std::vector<std::vector<double>>> interleave(std::span<const Contender> contenders, std::size_t rounds) {
  std::vector<std::vector<double>> seconds(contenders.size());
  std::vector<std::size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(1);
  for (std::size_t round = 0; round <= rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t c : order) {
      PELT_ASSIGN(const auto spent, contenders[c]());
      if (round != 0) seconds[c].push_back(spent);
    }
  }
  return seconds;
}

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {percentile(values, 0.25), percentile(values, 0.5), percentile(values, 0.75)};
}

Spread ratio_of(std::span<const double> a, std::span<const double> b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size(); ++i) ratios.push_back(a[i] / b[i]);
  return spread_of(std::move(ratios));
}

Json to_json(const Spread& spread) {
  return {{"low_quartile", spread.low}, {"median", spread.median}, {"high_quartile", spread.high}};
}

Json ratio_json(const Spread& ratio) { return ratio.steady() ? Json(ratio.median) : Json(); }

}  // namespace pelt::samples
