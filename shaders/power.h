// SPDX-License-Identifier: MIT
// Powers and logarithms that are the same on every processor, as in angle.h: logarithms are off by less than
// 3e-7, powers of 2 relatively by as much, other powers by that times their exponent of 2.
#ifndef PELT_SHADERS_POWER_H
#define PELT_SHADERS_POWER_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

#include "power.inl"

// x^exponent for a finite x; a smaller x counts as 1e-30.
PELT_SHARED_FN float power_of(float x, float exponent) { return exp2_of(exponent * log2_of(max(x, 1e-30f))); }

PELT_SHARED_END

#endif
