// SPDX-License-Identifier: MIT
// Trigonometric functions and whole turns, radians. Devices may be off by 2^-11 in sines and cosines and by 4096 ULP in
// arc tangents (Vulkan specification, "Precision and Operation of SPIR-V Instructions"), which is visible. These are
// off by less than 3e-7 on every processor.
#ifndef PELT_SHADERS_ANGLE_H
#define PELT_SHADERS_ANGLE_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST float kWholeTurn = 6.28318530718f;

#include "angle.inl"

// The angle of the direction (x, y), in [-pi, pi]; 0 if both are 0. Between +-tan(pi/8) the arc tangent is a polynomial
// (after Moshier's Cephes, atanf); larger slopes are turned back by pi/4, steep ones by a quarter of a turn.
PELT_SHARED_FN float atan_of(float y, float x) {
  float steep = max(abs(x), abs(y));
  float slope = steep > 0.0f ? min(abs(x), abs(y)) / steep : 0.0f;
  bool is_turned = slope > 0.414213562f;
  float small = is_turned ? (slope - 1.0f) / (slope + 1.0f) : slope;
  float square = small * small;
  float sum = 8.05374449538e-2f;
  sum = sum * square - 1.38776856032e-1f;
  sum = sum * square + 1.99777106478e-1f;
  sum = sum * square - 3.33329491539e-1f;
  float angle = small + small * square * sum + (is_turned ? 0.125f * kWholeTurn : 0.0f);
  if (abs(y) > abs(x)) angle = 0.25f * kWholeTurn - angle;
  if (x < 0.0f) angle = 0.5f * kWholeTurn - angle;
  return y < 0.0f ? -angle : angle;
}

PELT_SHARED_END

#endif
