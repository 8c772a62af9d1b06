// SPDX-License-Identifier: MIT
// Replaces operator new in the program that links it, to measure the largest allocation.
#pragma once

#include <cstddef>

namespace pelt::test {

void forget_allocations();

// Returns the bytes of the largest allocation since forget_allocations().
std::size_t largest_allocation();

}  // namespace pelt::test
