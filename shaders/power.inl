// SPDX-License-Identifier: MIT
// Logarithms and powers of 2 and e (power.h).

// The logarithm to base 2. Precondition: x is positive, finite and normal. x = m 2^e with m between sqrt(1/2) and
// sqrt(2); log m is a series in (m - 1) / (m + 1).
PELT_LANES_FN Real log2_of(Real x) {
  Integer bits = floatBitsToInt(x);
  Integer exponent = (bits - 0x3F3504F3) >> 23;
  Real m = intBitsToFloat(bits - (exponent << 23));
  Real t = (m - 1.0f) / (m + 1.0f);
  Real square = t * t;
  Real sum = 0.320598898f;
  sum = sum * square + 0.412198583f;
  sum = sum * square + 0.577078016f;
  sum = sum * square + 0.961796694f;
  sum = sum * square + 2.88539008f;
  return Real(exponent) + t * sum;
}

// 2^x, with x clamped to -126 to 127.
PELT_LANES_FN Real exp2_of(Real x) {
  Real held = choose(x > -126.0f, min(x, 127.0f), Real(-126.0f));
  Real whole = floor(held + 0.5f);
  Real part = held - whole;
  Real sum = 1.52527338e-5f;
  sum = sum * part + 1.54035304e-4f;
  sum = sum * part + 1.33335581e-3f;
  sum = sum * part + 9.61812911e-3f;
  sum = sum * part + 5.55041087e-2f;
  sum = sum * part + 2.40226507e-1f;
  sum = sum * part + 6.93147181e-1f;
  sum = sum * part + 1.0f;
  return sum * intBitsToFloat((Integer(whole) + 127) << 23);
}

// e^x.
PELT_LANES_FN Real exp_of(Real x) { return exp2_of(x * 1.44269504f); }
