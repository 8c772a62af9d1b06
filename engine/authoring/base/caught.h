// SPDX-License-Identifier: MIT
#pragma once

#include <exception>

namespace pelt {

// Returns work(), or failed(what) if a library throws a std::exception. Without exceptions the library ends the
// program.
template <class Work, class Failed>
auto caught(const Work& work, [[maybe_unused]] const Failed& failed) -> decltype(work()) {
#ifdef __cpp_exceptions
  try {
    return work();
  } catch (const std::exception& error) {
    return failed(error.what());
  }
#else
  return work();
#endif
}

}  // namespace pelt
