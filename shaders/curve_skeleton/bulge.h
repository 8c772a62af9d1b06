// SPDX-License-Identifier: MIT
// Bulge of a curve's sections. The volume of a slice is its section times v = dC/ds . x, the speed of its plane along x
// (1 at rest if the joints are straight). The section is widened by a(1/v)^volume: half of it in all directions, and
// half only across the plane of the bend, in which flesh has room. a(u) = 1 + tanh(u - 1) stays below 2.
#ifndef PELT_SHADERS_CURVE_SKELETON_BULGE_H
#define PELT_SHADERS_CURVE_SKELETON_BULGE_H

#include "../power.h"
#include "step_frames.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST float kCurveAcross = 0.5f;  // part of the bulge that is only across the plane of the bend
PELT_SHARED_CONST float kCurveThinning = 0.012f;
PELT_SHARED_CONST float kCurveLeastBulge = 0.05f;  // keeps every section from turning inside out

#include "section_bulge.inl"

PELT_SHARED_END

#endif
