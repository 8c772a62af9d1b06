// SPDX-License-Identifier: MIT
// Aligned memory, for replacements of operator new.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace pelt::test {

// Returns memory, or null. Free it only with free_aligned. `alignment` is a power of two.
inline void* allocate_aligned(std::size_t size, std::size_t alignment) {
#ifdef _WIN32
  return _aligned_malloc(size, alignment);
#else
  return std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
#endif
}

inline void free_aligned(void* memory) {
#ifdef _WIN32
  _aligned_free(memory);
#else
  std::free(memory);
#endif
}

}  // namespace pelt::test
