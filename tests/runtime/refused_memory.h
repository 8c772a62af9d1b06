// SPDX-License-Identifier: MIT
// The operator new of runtime_test (allocation_test.cpp), which counts, and refuses on request.
#pragma once

#include <atomic>
#include <cstddef>

namespace pelt::test {

inline std::atomic<std::size_t> allocation_count = 0;  // on all threads

// While `refusable` is true on a thread, its allocations count down: the one that reaches 0 is refused.
inline thread_local bool refusable = false;
inline std::atomic<std::ptrdiff_t> refuse_in = 0;
// Allocations of refusable threads that were not released.
std::size_t held_allocations();

}  // namespace pelt::test
