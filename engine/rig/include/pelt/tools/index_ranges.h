// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <pelt/selection.h>

namespace pelt {

// Appends an index to ranges: to the last one, if it follows that directly.
inline void append_index(std::vector<IndexRange>& ranges, std::uint32_t index) {
  if (!ranges.empty() && ranges.back().last + 1 == index) {
    ranges.back().last = index;
  } else {
    ranges.push_back({index, index});
  }
}

}  // namespace pelt
