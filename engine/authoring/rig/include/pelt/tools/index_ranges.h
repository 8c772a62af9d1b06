// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <pelt/selection.h>

namespace pelt {

// Appends an index to ranges: extends the last one if the index directly follows it.
inline void append_index(std::vector<IndexRange>& ranges, std::uint32_t index) {
  if (!ranges.empty() && ranges.back().last + 1 == index) {
    ranges.back().last = index;
  } else {
    ranges.push_back({index, index});
  }
}

inline bool contains(std::span<const IndexRange> ranges, std::uint32_t index) {
  return std::ranges::any_of(ranges, [&](const IndexRange range) { return range.contains(index); });
}

}  // namespace pelt
