// SPDX-License-Identifier: MIT
// Reads a pass's table within its bounds, for the checks of records.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include <pelt/finite.h>

namespace pelt {

class TableReader {
 public:
  explicit TableReader(std::span<const std::uint32_t> words) : words_(words) {}

  std::uint64_t size() const { return words_.size(); }

  // Precondition: the word exists.
  std::uint32_t word(std::uint64_t i) const { return words_[i]; }
  float number(std::uint64_t i) const { return std::bit_cast<float>(words_[i]); }

  bool holds(std::uint64_t first, std::uint64_t count) const {
    return first <= words_.size() && count <= words_.size() - first;
  }

  // Returns the reason why `count` words from `first` on cannot be read as finite numbers, or nullptr.
  const char* check_numbers(std::uint64_t first, std::uint64_t count) const {
    if (!holds(first, count)) return "reads past its table";
    for (std::uint64_t i = first; i < first + count; ++i) {
      if (!std::isfinite(number(i))) return "holds a number that is not finite";
    }
    return nullptr;
  }

  // Returns the same for a position, an offset or `count` numbers of an inverse bind frame, which must be within
  // kMaxCoordinate.
  const char* check_place(std::uint64_t first, std::uint64_t count = 3) const {
    if (!holds(first, count)) return "reads past its table";
    for (std::uint64_t i = first; i < first + count; ++i) {
      if (!is_near(number(i))) return "holds a position that is not finite, or beyond 1e+12";
    }
    return nullptr;
  }

 private:
  std::span<const std::uint32_t> words_;
};

}  // namespace pelt
