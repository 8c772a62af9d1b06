// SPDX-License-Identifier: MIT
// The gradient of weights that pass along a table of palette entries (shaders/blend/blend.h): what a row needs beside
// its weights so that normals follow. Positions do not depend on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace pelt {

// A vertex between entries `slot` and `slot + 1` of a table: with weights w (1 - f) and w f on them, f from 0 to 1,
// `gradient` is w grad f, by the rest position, model space, 1/metres.
struct Slope {
  std::uint32_t slot;
  glm::vec3 gradient;
  friend bool operator==(const Slope&, const Slope&) = default;
};

// Compressed sparse rows, as SparseRows: the slopes of vertex i are slopes[offsets[i] .. offsets[i + 1]), any number.
// No rows at all: the mesh has none.
struct SlopeRows {
  std::vector<std::uint32_t> offsets{0};
  std::vector<Slope> slopes;

  std::size_t row_count() const { return offsets.size() - 1; }
  std::span<const Slope> row(std::size_t i) const {
    return std::span(slopes).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
  void append_row(std::span<const Slope> row) {
    for (const Slope& slope : row) slopes.push_back(slope);
    offsets.push_back(static_cast<std::uint32_t>(slopes.size()));
  }
  friend bool operator==(const SlopeRows&, const SlopeRows&) = default;
};

// The slopes of two layers, one over the other, as merge_over merges their rows: those of `below` times 1 - mask_i,
// those of `above` times mask_i. Either may have no rows, else mask.size(). No rows where no slope is left.
SlopeRows merge_over(const SlopeRows& below, const SlopeRows& above, std::span<const float> mask);

}  // namespace pelt
