// SPDX-License-Identifier: MIT
// Helpers for the functions of pelt.h. Inside such a function an error is an exception; guarded() turns it into a
// result.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <pelt/pelt.h>
#include <pelt/result.h>

#include "engine/character/base/formatted.h"

namespace pelt::c {

struct Refusal {
  pelt_result result;
  std::string message;
};

[[noreturn]] inline void refuse(std::string message, pelt_result result = PELT_ERROR_INVALID_ARGUMENT) {
  throw Refusal{result, std::move(message)};
}

pelt_result to_result(ErrorCode code);

// Returns the value, or throws the error.
template <class T>
T value_of(Result<T> result) {
  if (!result) refuse(std::move(result.error().message), to_result(result.error().code));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// Sets this thread's last failure to "FUNCTION: MESSAGE" and returns `result`. Never allocates.
pelt_result fail_with(pelt_result result, const char* function, const char* message) noexcept;
const char* last_failure() noexcept;

// Returns the version of Pelt, such as "0.1.0".
const char* version_text() noexcept;

// Runs the body of a function of pelt.h and lets no exception out.
template <class Body>
pelt_result guarded(const char* function, Body&& body) noexcept {
  try {
    body();
    return PELT_OK;
  } catch (const Refusal& refusal) {
    return fail_with(refusal.result, function, refusal.message.c_str());
  } catch (const std::bad_alloc&) {
    return fail_with(PELT_ERROR_OUT_OF_MEMORY, function, "out of memory");
  } catch (const std::exception& error) {
    return fail_with(PELT_ERROR_INTERNAL, function, error.what());
  } catch (...) {
    return fail_with(PELT_ERROR_INTERNAL, function, "an unknown exception");
  }
}

// Dereferences a pointer; throws if it is null.
template <class T>
T& need(T* pointer, const char* name) {
  if (pointer == nullptr) refuse(formatted("{} is null", name));
  return *pointer;
}

inline void need_index(const char* what, std::size_t index, std::size_t count) {
  if (index >= count) refuse(formatted("{} {} does not exist: there are {}", what, index, count));
}

// Throws if an enumerator is beyond the last one.
inline void need_known(std::string_view what, std::uint32_t value, std::uint32_t last) {
  if (value > last) refuse(formatted("{} has the unknown value {}", what, value));
}

// Throws unless an array has the length that the character needs.
inline void need_count(const char* what, std::size_t given, std::size_t count) {
  if (given != count) refuse(formatted("got {} {}, expected {}", given, what, count));
}

// Returns the caller's struct_size; throws if it is invalid.
template <class T>
std::uint32_t need_struct_size(const T* given, const char* name) {
  std::uint32_t size = 0;
  std::memcpy(&size, &need(given, name), sizeof(size));
  if (size < sizeof(size)) refuse(formatted("{}.struct_size is {}, which is too small", name, size));
  if (size > sizeof(T)) {
    refuse(formatted("{}.struct_size is {}, and this library knows only {} bytes", name, size, sizeof(T)),
           PELT_ERROR_UNSUPPORTED);
  }
  return size;
}

// Returns a function that reads the caller's number `stop` of an options struct; empty if `stop` is null.
inline std::function<bool()> stop_of(const std::uint32_t* stop) {
  if (stop == nullptr) return {};
  return [number = std::atomic_ref(*const_cast<std::uint32_t*>(stop))] { return number.load() != 0; };
}

// Reads a struct of the caller's, which may be older and have fewer fields; the others are 0.
template <class T>
T read_struct(const T* given, const char* name) {
  static_assert(std::is_trivially_copyable_v<T> && offsetof(T, struct_size) == 0);
  T whole{};
  std::memcpy(static_cast<void*>(&whole), given, need_struct_size(given, name));
  return whole;
}

// The same; null means the defaults.
template <class T>
T read_options(const T* given, const char* name) {
  return given == nullptr ? T{} : read_struct(given, name);
}

// Writes the fields of a struct that the caller's struct_size covers.
template <class T>
void write_struct(T whole, T* given, const char* name) {
  static_assert(std::is_trivially_copyable_v<T> && offsetof(T, struct_size) == 0);
  const std::uint32_t size = need_struct_size(given, name);
  whole.struct_size = size;
  std::memcpy(static_cast<void*>(given), &whole, size);
}

}  // namespace pelt::c
