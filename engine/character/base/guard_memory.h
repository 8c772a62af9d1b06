// SPDX-License-Identifier: MIT
// Pelt's only source of host memory is operator new, which a game replaces with its own: unlike an allocator of Pelt's,
// it also reaches the texts, lists and maps that the interface shares with the game, and is no further global state.
#pragma once

#include <new>

#include <pelt/result.h>

namespace pelt {

// Calls a function that makes an object, and returns its result. If operator new refuses memory, everything made so far
// is destroyed and the error is kOutOfMemory. A build with -fno-exceptions cannot unwind: there operator new itself
// decides how the program ends.
template <class Make>
auto guard_memory(const Make& make) -> decltype(make()) {
#ifdef __cpp_exceptions
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kOutOfMemory, "out of memory");  // short enough for a string that takes no memory
  }
#else
  return make();
#endif
}

}  // namespace pelt
