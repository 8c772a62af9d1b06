// SPDX-License-Identifier: MIT
// Packs and checks the morph targets of a skin.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/morphs.h>
#include <pelt/result.h>

#include "shaders/blend/blend.h"
#include "shaders/morph/morph.h"

namespace pelt {

constexpr std::uint32_t kMaxMorphTargets = 65536;  // of a mesh

// The offsets that one target adds to each vertex at weight 1, in metres for positions and relative to unit length for
// normals and tangents, which may be empty.
struct MorphOffsets {
  std::span<const glm::vec3> positions;
  std::span<const glm::vec3> normals;
  std::span<const glm::vec3> tangents;
};

// Packs targets for packed rows; row r is vertex order[r] (empty: the identity). Sets all but first_entry.
PackedMorphs pack_morphs(std::span<const MorphOffsets> targets, std::size_t vertex_count,
                         std::span<const std::uint32_t> order);

// Returns for each column the index of its words in PackedMorphs::offsets, counted in columns. Columns are ordered by
// target, then by slice, so that an active target's words are contiguous.
std::vector<std::uint32_t> morph_places(const PackedMorphs& morphs);

// Checks the packed targets of a mesh of vertex_count vertices, but not the palette entries of their weights. Errors:
// kInvalidArgument, naming `what`.
Result<void> validate(const PackedMorphs& morphs, std::size_t vertex_count, const std::string& what);

// Adds row r of the slice whose words are at `place` (morph_places). `unit`: of the integers of positions, metres.
inline shared::MorphSum add_morph_row(const shared::MorphSum& to, const PackedMorphs& morphs, std::size_t place,
                                      std::size_t r, float unit, float weight) {
  const std::uint32_t* word = &morphs.offsets[place * morphs.row_words * shared::kSliceRows + r];
  shared::MorphSum sum = shared::morph_add_position(to, weight * unit, word[0], word[shared::kSliceRows]);
  if (morphs.row_words >= shared::kMorphNormalWords)
    sum = shared::morph_add_normal(sum, weight, word[2 * shared::kSliceRows]);
  if (morphs.row_words >= shared::kMorphTangentWords)
    sum = shared::morph_add_tangent(sum, weight, word[3 * shared::kSliceRows]);
  return sum;
}

// Calls visit(target, row, sum) for each row of each column; `sum`: the target's offsets at weight 1.
template <class Visit>
void for_each_morph_offset(const PackedMorphs& morphs, std::size_t vertex_count, const Visit& visit) {
  const std::vector<std::uint32_t> places = morph_places(morphs);
  for (std::size_t slice = 0; slice + 1 < morphs.slices.size(); ++slice) {
    const std::size_t first_row = slice * shared::kSliceRows;
    const std::size_t rows = std::min<std::size_t>(shared::kSliceRows, vertex_count - first_row);
    for (std::size_t c = morphs.slices[slice]; c < morphs.slices[slice + 1]; ++c) {
      const float unit = std::bit_cast<float>(morphs.columns[c].y);
      for (std::size_t r = 0; r < rows; ++r) {
        visit(shared::morph_weight_target(morphs.columns[c].x), first_row + r,
              add_morph_row(shared::morph_begin(), morphs, places[c], r, unit, 1));
      }
    }
  }
}

}  // namespace pelt
