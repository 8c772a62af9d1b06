// SPDX-License-Identifier: MIT
// Replaces operator new in the program that links it, to measure allocations.
#pragma once

#include <cstddef>

namespace pelt::test {

void forget_allocations();

// Returns the bytes of the largest allocation since forget_allocations().
std::size_t largest_allocation();

// Returns the bytes of all allocations since then.
std::size_t allocated_bytes();

}  // namespace pelt::test
