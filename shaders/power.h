// SPDX-License-Identifier: MIT
// Powers and logarithms that are the same on every processor, for the reason that angle.h gives: off by less than 3e-7,
// powers of 2 in proportion, and other powers by so much times the exponent of 2 that they are.
#ifndef PELT_SHADERS_POWER_H
#define PELT_SHADERS_POWER_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

// The logarithm to base 2. Precondition: x is positive, finite and no subnormal number. x = m 2^e with m between
// sqrt(1/2) and sqrt(2); log m is a series of (m - 1) / (m + 1).
PELT_SHARED_FN float log2_of(float x) {
  int bits = floatBitsToInt(x);
  int exponent = (bits - 0x3F3504F3) >> 23;
  float m = intBitsToFloat(bits - (exponent << 23));
  float t = (m - 1.0f) / (m + 1.0f);
  float square = t * t;
  float sum = 0.320598898f;
  sum = sum * square + 0.412198583f;
  sum = sum * square + 0.577078016f;
  sum = sum * square + 0.961796694f;
  sum = sum * square + 2.88539008f;
  return float(exponent) + t * sum;
}

// 2^x, x held between -126 and 127.
PELT_SHARED_FN float exp2_of(float x) {
  float held = x > -126.0f ? min(x, 127.0f) : -126.0f;
  float whole = floor(held + 0.5f);
  float part = held - whole;
  float sum = 1.52527338e-5f;
  sum = sum * part + 1.54035304e-4f;
  sum = sum * part + 1.33335581e-3f;
  sum = sum * part + 9.61812911e-3f;
  sum = sum * part + 5.55041087e-2f;
  sum = sum * part + 2.40226507e-1f;
  sum = sum * part + 6.93147181e-1f;
  sum = sum * part + 1.0f;
  return sum * intBitsToFloat((int(whole) + 127) << 23);
}

// x^exponent for a finite x, which counts as 1e-30 where it is less.
PELT_SHARED_FN float power_of(float x, float exponent) { return exp2_of(exponent * log2_of(max(x, 1e-30f))); }

// e^x.
PELT_SHARED_FN float exp_of(float x) { return exp2_of(x * 1.44269504f); }

PELT_SHARED_END

#endif
