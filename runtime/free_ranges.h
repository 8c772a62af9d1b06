// SPDX-License-Identifier: MIT
// The free parts of a range of numbers: bytes of a block of memory, vertices of a crowd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace pelt::runtime {

// Takes the first free part that is large enough, and joins parts that touch. Of such an allocator, the worst that any
// order of requests can do is known: requests of sizes from s to n s are all met while no more than about 1 / (1 + log2
// n) of the range is taken (Robson 1977, "Worst case fragmentation of first fit and best fit storage allocation
// strategies").
class FreeRanges {
 public:
  FreeRanges() = default;
  // `most_taken`: as long as no more parts are taken at once, take() and give_back() allocate nothing.
  explicit FreeRanges(std::uint64_t size, std::size_t most_taken = 0);

  // Returns the first number of the part, a multiple of the alignment; none: no free part is large enough. Taking
  // nothing succeeds, at 0.
  std::optional<std::uint64_t> take(std::uint64_t size, std::uint64_t alignment = 1);
  // Precondition: the part was taken.
  void give_back(std::uint64_t first, std::uint64_t size);

  std::uint64_t size() const { return size_; }
  std::uint64_t free() const { return free_; }
  std::uint64_t largest_free() const;

 private:
  struct Part {
    std::uint64_t first;
    std::uint64_t size;
  };
  std::uint64_t size_ = 0;
  std::uint64_t free_ = 0;
  std::vector<Part> parts_;  // ascending, never adjacent
};

}  // namespace pelt::runtime
