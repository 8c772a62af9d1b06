// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace pelt {

constexpr std::size_t kCacheLine = 64;

// Prefetches the cache line at an address. Highway's own function needs optimised builds.
inline void prefetch_line([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

}  // namespace pelt
