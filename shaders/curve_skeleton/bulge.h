// SPDX-License-Identifier: MIT
// Bulge of a curve's sections. The volume of a slice is its section times v = dC/ds . x, the rate at which its plane
// moves along x (1 at rest if the joints are straight). The section is widened by a(1/v)^volume: half of that in every
// direction, and half only across the plane of the bend, where flesh has room. a(u) = 1 + tanh(u - 1) stays below 2.
#ifndef PELT_SHADERS_CURVE_SKELETON_BULGE_H
#define PELT_SHADERS_CURVE_SKELETON_BULGE_H

#include "../power.h"
#include "step_frames.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST float kCurveAcross = 0.5f;       // part of the bulge across the plane of the bend
PELT_SHARED_CONST float kCurveThinning = 0.012f;
PELT_SHARED_CONST float kCurveLeastBulge = 0.05f;  // keeps every section from turning inside out

// The parameters of a sample besides its place.
struct CurveShape {
  float twist_share;              // dist(lambda)
  float first_reach, last_reach;  // of the anchors' bulges
  float twist;
  float width_y, width_z;
};

// How near a place is to an end of a bone, with the skin distance d there: 1 at the end, falling to 0.
PELT_SHARED_FN float end_ramp(float way, float distance, float bone) {
  return step_ramp(way, min(bone, kStepTurning * max(distance, bone * (1.0f / 16.0f))));
}

// The section's widening: along the direction `inside`, which lies in the section, and across it.
struct CurveBulge {
  vec3 inside;
  float along, across;
};

// `pace`: v. `inside`: towards the inside of the bend; the sharper the bend, the longer.
PELT_SHARED_FN CurveBulge curve_bulge(PELT_SHARED_IN(CurveEnd) first, PELT_SHARED_IN(CurveEnd) last, float lambda,
                                      CurveShape shape, vec3 inside, float pace) {
  float bone = last.arc - first.arc;
  float size = length(inside);
  float u = 1.0f / max(pace, 0.05f) - 1.0f;
  // If a slice is longer than at rest, it thins by at most half of kCurveThinning.
  u = 0.5f * (u + sqrt(u * u + kCurveThinning * kCurveThinning) - kCurveThinning);
  // As a power of 2: 1 + tanh u = 2 / (1 + e^-2u).
  float whole = mix(first.bulge.x, last.bulge.x, lambda) * (1.0f - log2_of(1.0f + exp_of(-2.0f * u)));
  CurveBulge bulge;
  bulge.inside = size > 1e-6f ? inside / size : vec3(0.0f);
  float along_share = 0.5f - 0.5f * kCurveAcross * smoothstep(0.0f, 0.3f, size);
  bulge.along = exp2_of(along_share * whole);
  bulge.across = exp2_of((1.0f - along_share) * whole);
  float first_fat = end_ramp(lambda * bone, first.distance, bone) * first.bend * shape.first_reach;
  float last_fat = end_ramp((1.0f - lambda) * bone, last.distance, bone) * last.bend * shape.last_reach;
  bulge.across *= max(1.0f + first.bulge.y * first_fat + last.bulge.y * last_fat, kCurveLeastBulge);
  bulge.along *= max(1.0f + first.bulge.z * first_fat + last.bulge.z * last_fat, kCurveLeastBulge);
  return bulge;
}

PELT_SHARED_FN vec3 bulged(CurveBulge bulge, vec3 axis) {
  vec3 along = bulge.inside * dot(bulge.inside, axis);
  return along * bulge.along + (axis - along) * bulge.across;
}

PELT_SHARED_END

#endif
