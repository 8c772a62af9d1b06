// SPDX-License-Identifier: MIT
// The game's allocator. A library that shares no memory with other C++ libraries has an operator new of its own, which
// calls it; exports.map hides that from the program.
#include <atomic>
#include <cstdlib>
#include <new>

#include "runtime/c/support.h"

#ifdef PELT_OWN_OPERATOR_NEW

namespace {

#ifdef _WIN32
void* default_allocate(void*, std::size_t size, std::size_t alignment) { return _aligned_malloc(size, alignment); }
void default_free(void*, void* memory) { _aligned_free(memory); }
#else
void* default_allocate(void*, std::size_t size, std::size_t alignment) {
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
void default_free(void*, void* memory) { std::free(memory); }
#endif

constexpr pelt_host_memory kDefault{.allocate = default_allocate, .free = default_free};
constinit pelt_host_memory game = kDefault;
constinit std::atomic<std::size_t> held = 0;  // pieces

}  // namespace

void* operator new(std::size_t size, std::align_val_t alignment) {
  void* const memory = game.allocate(game.user, size == 0 ? 1 : size, static_cast<std::size_t>(alignment));
  if (memory == nullptr) throw std::bad_alloc();
  ++held;
  return memory;
}
void* operator new(std::size_t size) { return operator new(size, std::align_val_t(__STDCPP_DEFAULT_NEW_ALIGNMENT__)); }
void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  game.free(game.user, memory);
  --held;
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { operator delete(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { operator delete(memory); }

pelt_result pelt_set_host_memory(const pelt_host_memory* memory) {
  return pelt::c::guarded(__func__, [&] {
    const pelt_host_memory given = memory == nullptr ? kDefault : pelt::c::read_struct(memory, "memory");
    if (given.allocate == nullptr || given.free == nullptr) pelt::c::refuse("memory needs both allocate and free");
    if (held != 0) pelt::c::refuse("the library already has memory");
    game = given;
  });
}

#else

pelt_result pelt_set_host_memory(const pelt_host_memory*) {
  return pelt::c::fail_with(PELT_ERROR_UNSUPPORTED, __func__,
                            "this library shares memory with others: build it with PELT_AUTHORING=OFF, "
                            "BUILD_SHARED_LIBS=OFF");
}

#endif
