// SPDX-License-Identifier: MIT
// Walks along a row of a packed binding (pelt/pack.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include <pelt/pack.h>

#include "shaders/blend/blend.h"

namespace pelt {

// Calls visit(word, group, at) for each influence of a row with a weight other than 0. `word`: as stored; `group`: the
// number of groups of the row that end before it; `at`: its index. `Binding`: PackedBinding or PaintedWeights, whose
// slices have the same layout.
template <class Binding, class Visit>
void for_each_influence(const Binding& binding, std::size_t row, const Visit& visit) {
  const std::size_t slice = row / shared::kSliceRows;
  std::uint32_t units = 0;  // sum of the group's weights so far
  std::size_t group = 0;
  for (std::size_t at = binding.slices[slice] + row % shared::kSliceRows; at < binding.slices[slice + 1];
       at += shared::kSliceRows) {
    const std::uint32_t word = binding.influences[at];
    if (shared::influence_units(word) == 0) continue;
    visit(word, group, at);
    units += shared::influence_units(word);
    if (units < shared::kWeightUnits) continue;
    units = 0;
    ++group;
  }
}

// Calls visit(influence, local point) for each influence of a row whose group's share is not 0. Weights are multiplied
// by the share, so that they sum to 1; the local point is the rest position if groups have no local points.
template <class Visit>
void for_each_shared_influence(const PackedBinding& binding, std::size_t row, const Visit& visit) {
  for_each_influence(binding, row, [&](std::uint32_t word, std::size_t group, std::size_t) {
    const glm::vec4 local = binding.local_points.empty() ? glm::vec4(binding.points[row], 1.0f)
                                                         : binding.local_points[group * binding.points.size() + row];
    if (local.w == 0) return;
    visit(Influence{shared::influence_index(word), local.w * shared::influence_weight(word)}, glm::vec3(local));
  });
}

}  // namespace pelt
