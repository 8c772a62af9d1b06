// SPDX-License-Identifier: MIT
// Sines and cosines (angle.h).

// The nearest number of whole turns; on a tie the even one, on every processor.
PELT_LANES_FN Real whole_turns(Real angle) { return roundEven(clamp(angle * (1.0f / kWholeTurn), -1e6f, 1e6f)); }

// The same angle within half a turn; any angle for millions of turns.
PELT_LANES_FN Real reduced_angle(Real angle) {
  return clamp(angle - kWholeTurn * whole_turns(angle), -0.5f * kWholeTurn, 0.5f * kWholeTurn);
}

// Sine and cosine of an angle within a quarter of a turn, as power series.
PELT_LANES_FN Real near_sin(Real angle) {
  Real square = angle * angle;
  Real sum = -2.50521084e-8f;
  sum = sum * square + 2.75573192e-6f;
  sum = sum * square - 1.98412698e-4f;
  sum = sum * square + 8.33333333e-3f;
  sum = sum * square - 1.66666667e-1f;
  return angle + angle * square * sum;
}
PELT_LANES_FN Real near_cos(Real angle) {
  Real square = angle * angle;
  Real sum = 2.08767570e-9f;
  sum = sum * square - 2.75573192e-7f;
  sum = sum * square + 2.48015873e-5f;
  sum = sum * square - 1.38888889e-3f;
  sum = sum * square + 4.16666667e-2f;
  sum = sum * square - 0.5f;
  return 1.0f + square * sum;
}

PELT_LANES_FN Real sin_of(Real angle) {
  Real reduced = reduced_angle(angle);
  Real half_turn = choose(reduced < 0.0f, Real(-0.5f * kWholeTurn), Real(0.5f * kWholeTurn));
  return near_sin(choose(abs(reduced) > 0.25f * kWholeTurn, half_turn - reduced, reduced));
}

PELT_LANES_FN Real cos_of(Real angle) {
  Real reduced = abs(reduced_angle(angle));
  Truth is_far = reduced > 0.25f * kWholeTurn;
  Real cosine = near_cos(choose(is_far, 0.5f * kWholeTurn - reduced, reduced));
  return choose(is_far, -cosine, cosine);
}
