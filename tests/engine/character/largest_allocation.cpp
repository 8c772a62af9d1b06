// SPDX-License-Identifier: MIT
#include "tests/engine/character/largest_allocation.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> largest{0};
}  // namespace

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  std::size_t before = largest;
  while (size > before && !largest.compare_exchange_weak(before, size)) {
  }
  return std::malloc(std::max<std::size_t>(size, 1));
}
void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace pelt::test {

void forget_allocations() { largest = 0; }
std::size_t largest_allocation() { return largest; }

}  // namespace pelt::test
