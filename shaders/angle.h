// SPDX-License-Identifier: MIT
// Angles and whole turns, radians.
#ifndef PELT_SHADERS_ANGLE_H
#define PELT_SHADERS_ANGLE_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST float kWholeTurn = 6.28318530718f;

// The nearest number of whole turns; the even one of two that are equally near, on every processor.
PELT_SHARED_FN float whole_turns(float angle) { return roundEven(clamp(angle * (1.0f / kWholeTurn), -1e6f, 1e6f)); }

// The same angle within half a turn: only there do devices specify how exact sines and cosines are.
PELT_SHARED_FN float reduced_angle(float angle) { return angle - kWholeTurn * whole_turns(angle); }

PELT_SHARED_END

#endif
