// SPDX-License-Identifier: MIT
// Uniform cubic B-splines and frames along them.
#ifndef PELT_SHADERS_SPLINE_H
#define PELT_SHADERS_SPLINE_H

#include "angle.h"
#include "pelt/shaders/frame.h"

PELT_SHARED_BEGIN

#include "spline.inl"

// The derivatives of the weights.
PELT_SHARED_FN vec4 spline_slope(float u) {
  float v = 1.0f - u;
  return vec4(-v * v, (3.0f * u - 4.0f) * u, (4.0f - 3.0f * v) * v, u * u) * 0.5f;
}

// The weighted sum of four values.
PELT_SHARED_FN float mix4(vec4 weights, float a, float b, float c, float d) {
  return a * weights.x + b * weights.y + c * weights.z + d * weights.w;
}
PELT_SHARED_FN vec3 mix4(vec4 weights, vec3 a, vec3 b, vec3 c, vec3 d) {
  return a * weights.x + b * weights.y + c * weights.z + d * weights.w;
}

// The span, of `spans`, that contains the parameter t in [0, spans]. The first one if t is NaN: the result indexes an
// array, and the device may not check bounds.
PELT_SHARED_FN int spline_span(float t, int spans) {
  return clamp(int(t > 0.0f ? min(t, float(spans)) : 0.0f), 0, spans - 1);
}

// Turns `axis`, perpendicular to the unit vector x0, by the least rotation that takes x0 to x1.
PELT_SHARED_FN vec3 least_turn(vec3 axis, vec3 x0, vec3 x1) {
  float both = 1.0f + dot(x0, x1);
  return both > 1e-6f ? axis - (x0 + x1) * (dot(axis, x1) / both) : axis;
}

// Carries the unit vector `axis`, perpendicular to the unit tangent x0 at p0, to x1 at p1 without rotation about the
// curve: double reflection (Wang, Juettler, Zheng, Liu 2008, "Computation of Rotation Minimizing Frames", table 1). If
// the chord is mere rounding and has no direction, the least rotation is used.
PELT_SHARED_FN vec3 double_reflection(vec3 axis, vec3 p0, vec3 x0, vec3 p1, vec3 x1) {
  vec3 chord = p1 - p0;
  float squared = dot(chord, chord);
  float forward = dot(chord, x0);
  if (!exceeds(forward * forward, 0.25f * squared) || squared < 1e-30f) {
    return least_turn(axis, x0, x1);
  }
  vec3 reflected_axis = axis - chord * (2.0f / squared * dot(chord, axis));
  vec3 reflected_tangent = x0 - chord * (2.0f / squared * forward);
  vec3 between = x1 - reflected_tangent;
  float squared_between = dot(between, between);
  return squared_between > 1e-12f ? reflected_axis - between * (2.0f / squared_between * dot(between, reflected_axis))
                                  : reflected_axis;
}

PELT_SHARED_END

#endif
