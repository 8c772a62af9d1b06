// SPDX-License-Identifier: MIT
// Applies the morph targets of a skin.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/morphs.h>
#include <pelt/pack.h>

#include "engine/character/evaluate/blend.h"
#include "shaders/blend/blend.h"

namespace pelt {

// Finds which targets are active and which of them move a slice, from bit sets: looking at each column of each slice
// would take as long as adding up the active ones.
class ActiveMorphs {
 public:
  explicit ActiveMorphs(const PackedMorphs& morphs);

  // Takes the weights of a pose: the palette's floats from entry first_entry on, which must outlive this.
  void set(const float* weights);

  // Returns true if any weight is not 0.
  bool any() const { return any_; }

  // Returns true if an active target moves a row of the slice.
  bool moves(std::size_t slice) const;

  // Adds the active targets to a vertex at rest.
  void move(std::size_t vertex, glm::vec3& point, glm::uvec2& directions) const;

  // Calls visit(column, index of its words, weight) for each column of the slice with a weight other than 0, ascending.
  template <class Visit>
  void for_each_active(std::size_t slice, const Visit& visit) const {
    std::size_t below = morphs_.slices[slice];  // the column of the first target of the current word
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
  std::size_t words_;                   // per slice
  std::vector<std::uint64_t> targets_;  // per slice: bit t % 64 of word t / 64 is target t
  std::vector<std::uint64_t> active_;   // the same bits for the targets with weights other than 0
  std::vector<std::uint32_t> places_;   // morph_places
};

// Prefetches the slice's active columns.
void prefetch(const PackedMorphs& morphs, const ActiveMorphs& active, std::size_t slice);

// Sets sums[i] to the weighted offsets of slice slices.first + i.
void sum_morphs(const PackedMorphs& morphs, const ActiveMorphs& active, SliceRange slices, std::span<MorphSums> sums);

// Writes the rows of a slice of the binding, with sums added, to `points` and `directions`; rows that the last slice
// lacks get undefined values. The same bits on every processor.
void apply_morphs(const MorphSums& sums, std::size_t slice, const PackedBinding& binding,
                  std::span<glm::vec3, shared::kSliceRows> points,
                  std::span<glm::uvec2, shared::kSliceRows> directions);

}  // namespace pelt
