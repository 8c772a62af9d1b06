// SPDX-License-Identifier: MIT
#include "engine/binding/table_rows.h"

#include <algorithm>

namespace pelt {

void append_between(const TablePiece& piece, float at, double weight, glm::dvec3 gradient,
                    std::vector<WeightedElement>& row, std::vector<Slope>& slopes) {
  const auto after = std::upper_bound(piece.at.begin() + 1, piece.at.end() - 1, at);
  const auto k = static_cast<std::uint32_t>(after - piece.at.begin()) - 1;
  const double step = double{piece.at[k + 1]} - piece.at[k];
  const double part = std::clamp((double{at} - piece.at[k]) / step, 0.0, 1.0);
  const std::uint32_t slot = piece.first_slot + k;
  row.push_back({slot, weight * (1 - part)});
  row.push_back({slot + 1, weight * part});
  const glm::vec3 slope = glm::vec3(gradient * (weight / step));
  if (slope != glm::vec3(0.0f)) slopes.push_back({slot, slope});
}

}  // namespace pelt
