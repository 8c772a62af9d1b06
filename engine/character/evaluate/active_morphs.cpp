// SPDX-License-Identifier: MIT
#include "engine/character/evaluate/active_morphs.h"

#include <algorithm>

#include "engine/character/evaluate/prefetch.h"
#include "engine/character/rows/morphs.h"
#include "shaders/morph/morph.h"

namespace pelt {

ActiveMorphs::ActiveMorphs(const PackedMorphs& morphs)
    : morphs_(morphs),
      words_((morphs.target_count + 63) / 64),
      targets_((morphs.slices.size() - 1) * words_),
      active_(words_),
      places_(morph_places(morphs)) {
  for (std::size_t slice = 0; slice + 1 < morphs.slices.size(); ++slice) {
    for (std::size_t c = morphs.slices[slice]; c < morphs.slices[slice + 1]; ++c) {
      const std::uint32_t target = shared::morph_weight_target(morphs.columns[c].x);
      targets_[slice * words_ + target / 64] |= std::uint64_t{1} << target % 64;
    }
  }
}

void ActiveMorphs::set(const float* weights) {
  weights_ = weights;
  std::ranges::fill(active_, 0);
  any_ = false;
  for (std::uint32_t entry = 0; entry < morphs_.entry_count(); ++entry) {
    if (!(weights[entry * shared::kMorphEntryFloats] > 0)) continue;
    any_ = true;
    const std::uint32_t first = entry * shared::kMorphEntryTargets;
    for (std::uint32_t t = first; t < std::min(first + shared::kMorphEntryTargets, morphs_.target_count); ++t) {
      if (weights[shared::morph_weight_place(t)] != 0) active_[t / 64] |= std::uint64_t{1} << t % 64;
    }
  }
}

bool ActiveMorphs::moves(std::size_t slice) const {
  for (std::size_t word = 0; word < words_; ++word) {
    if ((targets_[slice * words_ + word] & active_[word]) != 0) return true;
  }
  return false;
}

void ActiveMorphs::move(std::size_t vertex, glm::vec3& point, glm::uvec2& directions) const {
  shared::MorphSum sum = shared::morph_begin();
  for_each_active(vertex / shared::kSliceRows, [&](std::size_t column, std::size_t place, float weight) {
    const float unit = std::bit_cast<float>(morphs_.columns[column].y);
    sum = add_morph_row(sum, morphs_, place, vertex % shared::kSliceRows, unit, weight);
  });
  point += sum.position;
  directions = shared::morphed_directions(sum, directions);
}

void prefetch(const PackedMorphs& morphs, const ActiveMorphs& active, std::size_t slice) {
  constexpr std::size_t kLine = kCacheLine / sizeof(std::uint32_t);
  const std::size_t column_words = morphs.row_words * shared::kSliceRows;
  active.for_each_active(slice, [&](std::size_t column, std::size_t place, float) {
    const std::uint32_t* words = morphs.offsets.data() + place * column_words;
    prefetch_line(&morphs.columns[column]);
    for (std::size_t word = 0; word < column_words; word += kLine) prefetch_line(words + word);
    prefetch_line(words + column_words - 1);  // a column may cross a cache line
  });
}

}  // namespace pelt
