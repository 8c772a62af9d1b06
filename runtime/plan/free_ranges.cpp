// SPDX-License-Identifier: MIT
#include "runtime/plan/free_ranges.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace pelt::runtime {

FreeRanges::FreeRanges(std::uint64_t size, std::size_t most_taken) : size_(size), free_(size) {
  parts_.reserve(most_taken + 2);  // one between each two and at both ends, and one while joining
  if (size > 0) parts_.push_back({0, size});
}

std::optional<std::uint64_t> FreeRanges::take(std::uint64_t size, std::uint64_t alignment) {
  if (size == 0) return 0;
  if (parts_.capacity() < taken_ + 2) parts_.reserve(2 * taken_ + 4);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    const std::uint64_t end = part.first + part.size;
    const std::uint64_t first = (part.first + alignment - 1) / alignment * alignment;
    if (first > end || size > end - first) continue;
    const Part behind{first + size, end - first - size};
    free_ -= size;
    ++taken_;
    part.size = first - part.first;
    if (part.size > 0 && behind.size > 0) {
      parts_.insert(parts_.begin() + std::ptrdiff_t(i) + 1, behind);
    } else if (behind.size > 0) {
      part = behind;
    } else if (part.size == 0) {
      parts_.erase(parts_.begin() + std::ptrdiff_t(i));
    }
    return first;
  }
  return std::nullopt;
}

void FreeRanges::give_back(std::uint64_t first, std::uint64_t size) {
  if (size == 0) return;
  free_ += size;
  --taken_;
  const auto next =
      std::partition_point(parts_.begin(), parts_.end(), [&](const Part& part) { return part.first < first; });
  assert(next == parts_.end() || first + size <= next->first);
  assert(next == parts_.begin() || std::prev(next)->first + std::prev(next)->size <= first);
  const bool joins_next = next != parts_.end() && first + size == next->first;
  if (next != parts_.begin() && std::prev(next)->first + std::prev(next)->size == first) {
    std::prev(next)->size += size + (joins_next ? next->size : 0);
    if (joins_next) parts_.erase(next);
  } else if (joins_next) {
    *next = {first, size + next->size};
  } else {
    parts_.insert(next, {first, size});
  }
}

std::uint64_t FreeRanges::largest_free() const {
  std::uint64_t largest = 0;
  for (const Part& part : parts_) largest = std::max(largest, part.size);
  return largest;
}

}  // namespace pelt::runtime
