// SPDX-License-Identifier: MIT
#include "tests/engine/character/largest_allocation.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/support/aligned.h"

namespace {

std::atomic<std::size_t> largest{0};
std::atomic<std::size_t> all{0};

void note(std::size_t size) {
  all += size;
  std::size_t before = largest;
  while (size > before && !largest.compare_exchange_weak(before, size)) {
  }
}

}  // namespace

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  note(size);
  return std::malloc(std::max<std::size_t>(size, 1));
}
void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

void* operator new(std::size_t size, std::align_val_t alignment) {
  note(size);
  if (void* memory = pelt::test::allocate_aligned(size, static_cast<std::size_t>(alignment))) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory, std::align_val_t) noexcept { pelt::test::free_aligned(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { pelt::test::free_aligned(memory); }

namespace pelt::test {

void forget_allocations() { largest = all = 0; }
std::size_t largest_allocation() { return largest; }
std::size_t allocated_bytes() { return all; }

}  // namespace pelt::test
