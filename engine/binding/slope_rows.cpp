// SPDX-License-Identifier: MIT
#include "engine/binding/slope_rows.h"

#include <cassert>

namespace pelt {

SlopeRows merge_over(const SlopeRows& below, const SlopeRows& above, std::span<const float> mask) {
  SlopeRows merged;
  std::vector<Slope> row;
  const auto take = [&](const SlopeRows& rows, std::size_t i, float share) {
    assert(rows.row_count() == 0 || rows.row_count() == mask.size());
    if (rows.row_count() == 0) return;
    for (const Slope& slope : rows.row(i)) {
      const glm::vec3 gradient = share * slope.gradient;
      if (gradient != glm::vec3(0.0f)) row.push_back({slope.slot, gradient});
    }
  };
  for (std::size_t i = 0; i < mask.size(); ++i) {
    row.clear();
    take(below, i, 1 - mask[i]);
    take(above, i, mask[i]);
    merged.append_row(row);
  }
  return merged.slopes.empty() ? SlopeRows{} : merged;
}

}  // namespace pelt
