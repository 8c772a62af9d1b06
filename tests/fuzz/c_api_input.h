// SPDX-License-Identifier: MIT
// What a caller of the C API gives at random, and what every call must keep.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include <pelt/pelt.h>

#include "tests/fuzz/frames.h"
#include "tests/support/c_handle.h"

namespace pelt::fuzz {

template <class T, auto destroy>
using Handles = std::vector<Handle<T, destroy>>;
using CharacterHandles = Handles<pelt_character, pelt_character_destroy>;

// Memory of exactly so many bytes, so that one byte too many is found.
template <class T>
class Exact {
 public:
  explicit Exact(std::size_t count)
      : values_(static_cast<T*>(std::calloc(std::max<std::size_t>(count, 1), sizeof(T)))) {}
  T* get() const { return values_.get(); }

 private:
  struct Free {
    void operator()(T* values) const { std::free(values); }
  };
  std::unique_ptr<T, Free> values_;
};

// Calls of a kind, which take all that they give from the input.
class Calls {
 protected:
  explicit Calls(FuzzedDataProvider& in) : in_(in) {}

  std::uint32_t index(std::uint32_t count) {
    return in_.ConsumeIntegralInRange(0, 15) == 0 ? in_.ConsumeIntegral<std::uint32_t>()
                                                  : in_.ConsumeIntegralInRange<std::uint32_t>(0, count);
  }
  float number() {
    switch (in_.ConsumeIntegralInRange(0, 3)) {
      case 0: {
        const auto bits = in_.ConsumeIntegral<std::uint32_t>();
        float value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
      }
      default:
        return in_.ConsumeFloatingPointInRange<float>(-3, 3);
    }
  }
  // The count that is right, or another one; arrays have as many.
  std::uint32_t count_of(std::uint32_t right) {
    return in_.ConsumeIntegralInRange(0, 7) == 0 ? in_.ConsumeIntegralInRange<std::uint32_t>(0, 300) : right;
  }
  template <class T>
  T* or_null(T* pointer) {
    return in_.ConsumeIntegralInRange(0, 31) == 0 ? nullptr : pointer;
  }
  Exact<float> numbers(std::size_t count) {
    Exact<float> made(count);
    const float base = number();
    for (std::size_t i = 0; i < count; ++i) made.get()[i] = base + 0.1f * static_cast<float>(i % 7);
    if (count > 0 && in_.ConsumeBool()) made.get()[index(static_cast<std::uint32_t>(count - 1)) % count] = number();
    return made;
  }
  template <class T, auto destroy>
  T* any(const Handles<T, destroy>& handles) {
    if (handles.empty() || in_.ConsumeIntegralInRange(0, 31) == 0) return nullptr;
    return handles[in_.ConsumeIntegralInRange<std::size_t>(0, handles.size() - 1)].get();
  }
  // Calls with a struct of the size that an older or newer caller may have.
  template <class T, class Call>
  pelt_result with_struct(T filled, const Call& call) {
    std::size_t size = sizeof(T);
    // No caller has a size that ends within a pointer.
    if (in_.ConsumeIntegralInRange(0, 3) == 0) size = 8 * in_.ConsumeIntegralInRange<std::size_t>(0, sizeof(T) / 8 + 1);
    const Exact<std::byte> memory(std::max<std::size_t>(size, sizeof(std::uint32_t)));
    filled.struct_size = static_cast<std::uint32_t>(size);
    std::memcpy(memory.get(), &filled, std::min(std::max(size, sizeof(std::uint32_t)), sizeof(T)));
    return done(call(or_null(reinterpret_cast<T*>(memory.get()))));
  }

  // Every call is done, or says why not.
  static pelt_result done(pelt_result result) {
    require(result >= PELT_OK && result != PELT_ERROR_INTERNAL && result <= PELT_ERROR_STOPPED,
            "a result is one of those listed");
    if (result != PELT_OK) require(std::strncmp(pelt_last_error(), "pelt_", 5) == 0, "an error names its function");
    return result;
  }
  // Returns true if the call made something, which it does only if it succeeds.
  template <class T>
  static bool made(pelt_result result, const T* handle) {
    require((done(result) == PELT_OK) == (handle != nullptr), "what succeeds gives a handle, and nothing else does");
    return handle != nullptr;
  }
  template <class Kept, class T>
  static void keep(Kept& handles, pelt_result result, T* handle) {
    constexpr std::size_t kMaxHandles = 4;
    if (!made(result, handle)) return;
    if (handles.size() >= kMaxHandles) handles.erase(handles.begin());
    handles.emplace_back(handle);
  }

  static pelt_character_info info_of(const pelt_character* character) {
    pelt_character_info info{};
    info.struct_size = sizeof info;
    if (character != nullptr) require(pelt_character_get_info(character, &info) == PELT_OK, "a character has an info");
    return info;
  }

  FuzzedDataProvider& in_;
};

}  // namespace pelt::fuzz
