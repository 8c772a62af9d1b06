// SPDX-License-Identifier: MIT
#include "engine/authoring/rows/table_rows.h"

#include <algorithm>

namespace pelt {

void append_between(const TablePiece& piece, float at, double weight, glm::dvec3 gradient,
                    std::vector<WeightedElement>& row) {
  const auto after = std::upper_bound(piece.at.begin() + 1, piece.at.end() - 1, at);
  const auto k = static_cast<std::uint32_t>(after - piece.at.begin()) - 1;
  const double step = double{piece.at[k + 1]} - piece.at[k];
  const double part = std::clamp((double{at} - piece.at[k]) / step, 0.0, 1.0);
  const std::uint32_t entry = piece.first_entry + k;
  const glm::dvec3 passing = gradient * (weight / step);
  row.push_back({entry, weight * (1 - part), -passing});
  row.push_back({entry + 1, weight * part, passing});
}

}  // namespace pelt
