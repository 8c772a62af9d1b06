// SPDX-License-Identifier: MIT
// Powers and logarithms that are the same on every processor, for the reason that angle.h gives: off by less than 3e-7,
// powers of 2 in proportion, and other powers by so much times the exponent of 2 that they are.
#ifndef PELT_SHADERS_POWER_H
#define PELT_SHADERS_POWER_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

#include "power.inl"

// x^exponent for a finite x, which counts as 1e-30 where it is less.
PELT_SHARED_FN float power_of(float x, float exponent) { return exp2_of(exponent * log2_of(max(x, 1e-30f))); }

PELT_SHARED_END

#endif
