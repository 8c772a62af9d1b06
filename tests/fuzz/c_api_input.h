// SPDX-License-Identifier: MIT
// Random arguments of the C API, and the invariants of every call.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <pelt/pelt.h>

#include "tests/fuzz/frames.h"
#include "tests/support/c_handle.h"

namespace pelt::fuzz {

// Calls of functions, with all arguments from the input.
class Calls {
 protected:
  explicit Calls(FuzzedDataProvider& in) : in_(in) {}

  std::uint32_t below(std::size_t end) {
    return in_.ConsumeIntegralInRange<std::uint32_t>(0, static_cast<std::uint32_t>(end - 1));
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  std::uint32_t index(std::uint32_t count) {
    return one_in(16) ? in_.ConsumeIntegral<std::uint32_t>() : below(std::size_t{count} + 1);
  }
  float number() {
    if (!one_in(4)) return in_.ConsumeFloatingPointInRange<float>(-3, 3);
    const auto bits = in_.ConsumeIntegral<std::uint32_t>();
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  // The count that is right, or another one; arrays have as many.
  std::uint32_t count_of(std::uint32_t right) { return one_in(8) ? below(301) : right; }
  template <class T>
  T* or_null(T* pointer) {
    return one_in(32) ? nullptr : pointer;
  }
  const char* name() {
    text_ = one_in(4) ? in_.ConsumeRandomLengthString(12)
                      : std::string(in_.PickValueInArray({"joint1", "clip", "cage", "tube", "tube/target1", "none"}));
    return or_null(text_.c_str());
  }

  // Returns memory of exactly so many bytes until the call is done, so that one byte too many is found.
  void* exact(std::size_t bytes) {
    memory_.emplace_back(std::calloc(std::max<std::size_t>(bytes, 1), 1));
    return memory_.back().get();
  }
  float* numbers(std::size_t count) {
    auto* const made = static_cast<float*>(exact(count * sizeof(float)));
    const float base = number();
    for (std::size_t i = 0; i < count; ++i) made[i] = base + 0.1f * static_cast<float>(i % 7);
    if (count > 0 && in_.ConsumeBool()) made[index(static_cast<std::uint32_t>(count - 1)) % count] = number();
    return made;
  }
  // Returns a struct of the size that an older or newer caller may have, or null.
  template <class T>
  T* sized(T filled) {
    std::size_t size = sizeof(T);
    // No caller has a size that ends within a pointer.
    if (one_in(4)) size = 8 * std::size_t{below(sizeof(T) / 8 + 2)};
    const std::size_t bytes = std::max(size, sizeof(std::uint32_t));
    void* const made = exact(bytes);
    filled.struct_size = static_cast<std::uint32_t>(size);
    std::memcpy(made, &filled, std::min(bytes, sizeof(T)));
    return or_null(static_cast<T*>(made));
  }

  pelt_character* any_character() {
    return characters_.empty() || one_in(32) ? nullptr : characters_[below(characters_.size())].get();
  }
  static pelt_character_info info_of(const pelt_character* character) {
    pelt_character_info info{};
    info.struct_size = sizeof info;
    if (character != nullptr) require(pelt_character_get_info(character, &info) == PELT_OK, "a character has an info");
    return info;
  }

  // Every call succeeds, or describes its error.
  pelt_result done(pelt_result result) {
    memory_.clear();
    require(result >= PELT_OK && result != PELT_ERROR_INTERNAL && result <= PELT_ERROR_STOPPED,
            "a result is one of those listed");
    if (result != PELT_OK) require(std::strncmp(pelt_last_error(), "pelt_", 5) == 0, "an error names its function");
    return result;
  }
  // Returns true if the call made something, which it does only if it succeeds.
  template <class T>
  bool made(pelt_result result, const T* handle) {
    require((done(result) == PELT_OK) == (handle != nullptr), "what succeeds gives a handle, and nothing else does");
    return handle != nullptr;
  }
  void keep(pelt_result result, pelt_character* character) {
    constexpr std::size_t kMaxCharacters = 4;
    if (!made(result, character)) return;
    if (characters_.size() >= kMaxCharacters) characters_.erase(characters_.begin());
    characters_.emplace_back(character);
  }

  // Calls a function with arguments that its parameters suggest. An array of floats has so many for each entry: the
  // matrices or transforms of joints, the inputs or the vertices of a stream of a character, whose number follows it;
  // or 1 entry.
  template <auto function, std::size_t floats = 1, bool counted = false>
  void call() {
    constexpr std::uint32_t kStreamed = 63;  // vertices of the cage of seed_characters()
    const pelt_character_info info = info_of(any_character());
    const std::uint32_t right = floats >= 10 ? info.joint_count : floats == 3 ? kStreamed : info.input_count;
    count_ = counted ? count_of(right) : 1;
    floats_ = floats * count_;
    behind_array_ = false;
    call_with_any(function);
  }

  FuzzedDataProvider& in_;
  std::vector<Handle<pelt_character, pelt_character_destroy>> characters_;
  Handle<pelt_evaluator, pelt_evaluator_destroy> evaluator_;
  Handle<pelt_gpu_characters, pelt_gpu_characters_destroy> gpu_;
  Handle<pelt_crowd, pelt_crowd_destroy> crowd_;

 private:
  template <class... Arguments>
  void call_with_any(pelt_result (*function)(Arguments...)) {
    const std::tuple<Arguments...> arguments{argument<Arguments>()...};
    done(std::apply(function, arguments));
  }
  template <class T>
  T argument() {
    using To = std::remove_const_t<std::remove_pointer_t<T>>;
    if constexpr (std::is_same_v<T, const char*>) {
      return name();
    } else if constexpr (std::is_same_v<To, pelt_character>) {
      return any_character();
    } else if constexpr (std::is_same_v<To, pelt_evaluator>) {
      return or_null(evaluator_.get());
    } else if constexpr (std::is_same_v<To, pelt_crowd>) {
      return or_null(crowd_.get());
    } else if constexpr (std::is_same_v<T, float>) {
      return number();
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
      return behind_array_ ? count_ : index(6);
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
      return index(6);  // a frame
    } else if constexpr (std::is_same_v<To, float>) {
      behind_array_ = true;
      return or_null(numbers(floats_));
    } else if constexpr (requires(To to) { to.struct_size; }) {
      return sized(To{});
    } else {
      constexpr std::size_t kEntries = std::is_same_v<To, pelt_buffer_use> ? PELT_MAX_BUFFER_USES : 1;
      return or_null(static_cast<To*>(exact(kEntries * sizeof(To))));
    }
  }

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::vector<std::unique_ptr<void, Free>> memory_;
  std::string text_;
  std::uint32_t count_ = 1;
  std::size_t floats_ = 1;
  bool behind_array_ = false;
};

}  // namespace pelt::fuzz
