// SPDX-License-Identifier: MIT
// The free parts of a range of numbers, such as bytes of a memory block or vertices of a crowd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace pelt::runtime {

// A first-fit allocator that joins adjacent free parts. Its worst case is known: requests of sizes from s to n s always
// succeed while at most about 1 / (1 + log2 n) of the range is taken (Robson 1977, "Worst case fragmentation of first
// fit and best fit storage allocation strategies").
class FreeRanges {
 public:
  FreeRanges() = default;
  // take() allocates nothing while at most `most_taken` parts are taken; give_back() never does.
  explicit FreeRanges(std::uint64_t size, std::size_t most_taken = 0);

  // Returns the first number of the part, a multiple of the alignment; none: no free part is large enough. A size of 0
  // succeeds and returns 0.
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
  std::size_t taken_ = 0;    // number of taken parts
  std::vector<Part> parts_;  // ascending, never adjacent
};

}  // namespace pelt::runtime
