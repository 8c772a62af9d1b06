// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/authoring/mos/strategies.h"

namespace pelt::mos {

void inverse_distance(glm::dvec3 place, std::span<const glm::dvec3> points, double power, std::uint32_t nearest,
                      Cut cut, std::vector<WeightedElement>& row) {
  assert(!points.empty());
  row.clear();
  for (std::uint32_t j = 0; j < points.size(); ++j) {
    const glm::dvec3 offset = points[j] - place;
    row.push_back({j, std::hypot(offset.x, offset.y, offset.z)});  // the distance, for now
  }
  // The cut needs one point more than it keeps. Powers are slow, so drop the others first.
  const auto closer = [](const WeightedElement& a, const WeightedElement& b) {
    return a.weight != b.weight ? a.weight < b.weight : a.index < b.index;
  };
  const std::size_t needed = std::size_t{nearest} + 1;
  const bool cuts = nearest > 0 && needed <= row.size();
  if (cuts) {
    std::nth_element(row.begin(), row.begin() + nearest, row.end(), closer);
    row.resize(needed);
  }
  // (d_min / d_j)^power is in [0, 1], even if 1 / d_j^power overflows.
  const double least = std::min_element(row.begin(), row.end(), closer)->weight;
  for (WeightedElement& influence : row) {
    const double distance = influence.weight;
    influence.weight = distance == least ? 1.0 : std::pow(least / distance, power);
    if (least == 0) continue;
    influence.gradient = power * influence.weight / distance * ((points[influence.index] - place) / distance);
  }
  const WeightedElement floor = cuts && cut == Cut::kContinuous ? row[nearest] : WeightedElement{0, 0};
  if (least == 0) std::erase_if(row, [](const WeightedElement& influence) { return influence.weight != 1; });
  cut_row(row, nearest, cut);
  constexpr double kAlike = 1e-9;  // weights after the cut that are rounding errors have no gradient
  const double scale = 1 - floor.weight > kAlike ? row.front().weight / (1 - floor.weight) : 0.0;
  for (WeightedElement& influence : row) influence.gradient = scale * (influence.gradient - floor.gradient);
  sum_to_zero(row);
}

}  // namespace pelt::mos
