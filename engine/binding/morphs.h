// SPDX-License-Identifier: MIT
// Packs, checks and applies the morph targets of a skin.
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

#include "engine/binding/blend.h"
#include "shaders/blend/blend.h"
#include "shaders/morph/morph.h"

namespace pelt {

constexpr std::uint32_t kMaxMorphTargets = 65536;  // of a mesh

// What one target adds to each vertex at weight 1, in metres and in parts of unit vectors. Normals and tangents may be
// empty.
struct MorphOffsets {
  std::span<const glm::vec3> positions;
  std::span<const glm::vec3> normals;
  std::span<const glm::vec3> tangents;
};

// Packs targets for packed rows; row r is vertex order[r] (empty: the identity). Sets all but first_slot.
PackedMorphs pack_morphs(std::span<const MorphOffsets> targets, std::size_t vertex_count,
                         std::span<const std::uint32_t> order);

// Returns for each column the place of its words in PackedMorphs::offsets, counted in columns: those of the first
// target come first, slice by slice, so that a target that is active is one stretch of memory.
std::vector<std::uint32_t> morph_places(const PackedMorphs& morphs);

// Puts the words of columns, which lie in the order of columns, to their places.
void order_by_target(PackedMorphs& packed);

// Checks the packed targets of a mesh with so many vertices, but not the palette entries of their weights. Errors are
// kInvalidArgument and name `what`.
Result<void> validate(const PackedMorphs& morphs, std::size_t vertex_count, const std::string& what);

// Which targets have weights, and which of them move a slice: found by bits, since a look at each column of each slice
// would take as long as adding those up that are active.
class ActiveMorphs {
 public:
  explicit ActiveMorphs(const PackedMorphs& morphs);

  // Takes the weights of a pose: the palette's floats from entry first_slot on, which must stay.
  void set(const float* weights);

  // Returns true if a weight is not 0.
  bool any() const { return any_; }

  // Returns true if a target whose weight is not 0 moves a row of the slice.
  bool moves(std::size_t slice) const;

  // Calls visit(column, place of its words, weight) for each column of the slice whose weight is not 0, ascending.
  template <class Visit>
  void for_each_active(std::size_t slice, const Visit& visit) const {
    std::size_t below = morphs_.slices[slice];  // the column of the first target of a word of bits
    for (std::size_t word = slice * words_; word < (slice + 1) * words_; ++word) {
      const std::uint64_t targets = targets_[word];
      for (std::uint64_t bits = targets & active_[word % words_]; bits != 0; bits &= bits - 1) {
        const std::size_t column = below + std::popcount(targets & (bits - 1) & ~bits);
        visit(column, places_[column], weights_[morphs_.columns[column].x]);
      }
      below += std::popcount(targets);
    }
  }

 private:
  const PackedMorphs& morphs_;
  const float* weights_ = nullptr;
  bool any_ = false;
  std::size_t words_;                   // a slice
  std::vector<std::uint64_t> targets_;  // of each slice: bit t % 64 of word t / 64 is target t
  std::vector<std::uint64_t> active_;   // the same for the targets whose weights are not 0
  std::vector<std::uint32_t> places_;   // morph_places
};

// Asks for the memory of the slice's active columns.
void prefetch(const PackedMorphs& morphs, const ActiveMorphs& active, std::size_t slice);

// Sets sums[i] to what the weights add to slice slices.first + i.
void sum_morphs(const PackedMorphs& morphs, const ActiveMorphs& active, SliceRange slices, std::span<MorphSums> sums);

// Writes to `points` and `directions` the rows of a slice of the binding with sums added to them, and rubbish to rows
// that the last slice lacks. The same bits on every processor.
void apply_morphs(const MorphSums& sums, std::size_t slice, const PackedBinding& binding,
                  std::span<glm::vec3, shared::kSliceRows> points,
                  std::span<glm::uvec2, shared::kSliceRows> directions);

// Calls visit(target, row, sum) for each row of each column, where `sum` is what the target adds at weight 1.
template <class Visit>
void for_each_morph_offset(const PackedMorphs& morphs, std::size_t vertex_count, const Visit& visit) {
  const std::size_t words = morphs.row_words;
  const std::vector<std::uint32_t> places = morph_places(morphs);
  for (std::size_t slice = 0; slice + 1 < morphs.slices.size(); ++slice) {
    const std::size_t first_row = slice * shared::kSliceRows;
    const std::size_t rows = std::min<std::size_t>(shared::kSliceRows, vertex_count - first_row);
    for (std::size_t c = morphs.slices[slice]; c < morphs.slices[slice + 1]; ++c) {
      const float unit = std::bit_cast<float>(morphs.columns[c].y);
      for (std::size_t r = 0; r < rows; ++r) {
        const std::uint32_t* word = &morphs.offsets[places[c] * words * shared::kSliceRows + r];
        shared::MorphSum sum =
            shared::morph_add_position(shared::morph_begin(), unit, word[0], word[shared::kSliceRows]);
        if (words >= shared::kMorphNormalWords) sum = shared::morph_add_normal(sum, 1, word[2 * shared::kSliceRows]);
        if (words >= shared::kMorphTangentWords) sum = shared::morph_add_tangent(sum, 1, word[3 * shared::kSliceRows]);
        visit(shared::morph_weight_target(morphs.columns[c].x), first_row + r, sum);
      }
    }
  }
}

}  // namespace pelt
