// SPDX-License-Identifier: MIT
// Replaces operator new in the program that links it, to see how much is asked for at once.
#pragma once

#include <cstddef>

namespace pelt::test {

void forget_allocations();

// Bytes of the largest allocation since.
std::size_t largest_allocation();

}  // namespace pelt::test
