// SPDX-License-Identifier: MIT
// Disjoint sets of numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace pelt {

class Roots {
 public:
  explicit Roots(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }

  // Returns the least member of the set that contains a number.
  std::uint32_t of(std::uint32_t number) {
    while (parent_[number] != number) number = parent_[number] = parent_[parent_[number]];
    return number;
  }

  void join(std::uint32_t a, std::uint32_t b) {
    const auto [least, other] = std::minmax({of(a), of(b)});
    parent_[other] = least;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace pelt
