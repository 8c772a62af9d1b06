// SPDX-License-Identifier: MIT
#include <pelt/curve_keys.h>

namespace pelt {

double monotone_slope(std::span<const CurveKey> keys, std::size_t k) {
  if (keys.size() < 2) return 0;
  const auto width = [&](std::size_t i) { return double{keys[i + 1].at} - keys[i].at; };
  const auto slope = [&](std::size_t i) { return (double{keys[i + 1].value} - keys[i].value) / width(i); };
  if (k == 0) return slope(0);
  if (k + 1 == keys.size()) return slope(k - 1);
  const double before = slope(k - 1);
  const double after = slope(k);
  if (before * after <= 0) return 0;
  const double from = 2 * width(k) + width(k - 1);
  const double to = width(k) + 2 * width(k - 1);
  return (from + to) / (from / before + to / after);
}

}  // namespace pelt
