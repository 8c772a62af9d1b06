// SPDX-License-Identifier: MIT
// Smooth curves through keys.
#pragma once

#include <cstddef>
#include <span>

#include <pelt/rig.h>

namespace pelt {

// Slope at key k of the monotone cubic (Fritsch & Carlson 1980): the weighted harmonic mean of the slopes beside it, 0
// where they differ in sign, and of a single key.
// Precondition: keys ascend.
double monotone_slope(std::span<const CurveKey> keys, std::size_t k);

}  // namespace pelt
