// SPDX-License-Identifier: MIT
// The boxes of bounds records on the CPU.
#pragma once

#include <cstdint>

#include "shaders/bounds/bounds.h"

namespace pelt::shared {

struct BoundsWork {
  const uint* words;
  const Affine* palette;
  float morph_reach;
  uint first_word = 0;
  uint palette_first = 0;
};
inline uint bounds_word(BoundsWork work, uint i) { return work.words[i]; }
inline const Affine& bounds_entry(BoundsWork work, uint i) { return work.palette[i]; }
inline bool has_bounds(uint) { return true; }
inline float morph_reach(BoundsWork work, const BoundsRecord&) { return work.morph_reach; }

#include "shaders/bounds/record_box.inl"

}  // namespace pelt::shared
