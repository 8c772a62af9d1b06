// SPDX-License-Identifier: MIT
// Dual quaternion skinning (Kavan et al. 2008, "Geometric Skinning with Approximate Dual Quaternion Blending").
//
// Idea: blend rigid motions without losing volume. T = [M | t] is split into M = R S, R a rotation; the stretches S are
// blended linearly first, then the rigid parts (R, t) as dual quaternions (section 5 of the paper):
//     v' = dq(sum w_j s_j q_j) (sum w_j S_j) l,    s_j = sign(q_j . q_pivot), pivot = the largest weight.
// R S = M holds to rounding for any R, so a single influence gives T exactly.
#ifndef PELT_SHADERS_DUAL_QUATERNION_H
#define PELT_SHADERS_DUAL_QUATERNION_H

#include "../quaternion.h"
#include "pelt/shaders/frame.h"

PELT_SHARED_BEGIN

struct DualQuaternion {
  vec4 real;
  vec4 dual;  // half of translation times real
};

PELT_SHARED_FN DualQuaternion dual_quaternion_from_rigid(mat3 rotation, vec3 translation) {
  DualQuaternion result;
  result.real = quaternion_from_rotation(rotation);
  result.dual = quaternion_product(vec4(translation * 0.5f, 0.0f), result.real);
  return result;
}

// The rigid frame of a blend of dual quaternions, of any length; that of `pivot` if they cancel.
PELT_SHARED_FN Affine rigid_from_dual_quaternion(DualQuaternion blended, DualQuaternion pivot) {
  float squared = dot(blended.real, blended.real);
  vec4 real = squared > 1e-12f ? blended.real : pivot.real;
  vec4 dual = squared > 1e-12f ? blended.dual : pivot.dual;
  float inverse_length = 1.0f / sqrt(dot(real, real));
  real = real * inverse_length;
  dual = dual * inverse_length;
  vec3 r = quaternion_vector(real);
  vec3 d = quaternion_vector(dual);
  vec3 translation = (d * real.w - r * dual.w + cross(r, d)) * 2.0f;
  return affine_from_axes(rotation_from_quaternion(real), translation);
}

// Positive if q is less than a turn away from the pivot, negative if -q is. If they are half a turn apart
// (kHalfTurnTie), a symmetric bilinear form decides: two neighbouring vertices may have each other's pivot, and must
// agree.
PELT_SHARED_FN float side_of(vec4 q, vec4 pivot) {
  float side = dot(q, pivot);
  if (abs(side) > kHalfTurnTie) return side;
  // Quaternions that are not of unit length may be near 0 on either side.
  if (side * side > kHalfTurnTie * kHalfTurnTie * dot(q, q) * dot(pivot, pivot)) return side;
  vec4 a = vec4(0.62f, 0.37f, -0.45f, 0.53f);
  vec4 b = vec4(-0.21f, 0.58f, 0.74f, 0.26f);
  return dot(a, q) * dot(b, pivot) + dot(b, q) * dot(a, pivot);
}

// q or -q, which are the same motion: the one less than a turn away from the pivot's rotation.
PELT_SHARED_FN DualQuaternion on_side_of(DualQuaternion q, DualQuaternion pivot) {
  float side = side_of(q.real, pivot.real) < 0.0f ? -1.0f : 1.0f;
  q.real = q.real * side;
  q.dual = q.dual * side;
  return q;
}

PELT_SHARED_FN DualQuaternion dual_quaternion_add(DualQuaternion sum, DualQuaternion q, float weight) {
  sum.real += weight * q.real;
  sum.dual += weight * q.dual;
  return sum;
}

// The derivative of the point that a blend, not normalised, moves, as the blend changes by `change`: of (r x r* + 2 d
// r*) / (r r*) by r and d (as in Tarini, Panozzo & Sorkine 2014, "Accurate and Efficient Lighting for Skinned Models").
// 0 if the blend cancels.
PELT_SHARED_FN vec3 rigid_derivative(DualQuaternion blended, DualQuaternion change, vec3 point) {
  float squared = dot(blended.real, blended.real);
  if (!exceeds(squared, 1e-12f)) return vec3(0.0f);
  vec3 r = quaternion_vector(blended.real);
  vec3 d = quaternion_vector(blended.dual);
  vec3 by_r = quaternion_vector(change.real);
  vec3 by_d = quaternion_vector(change.dual);
  float w = blended.real.w;
  float by_w = change.real.w;
  vec3 moved = point * (w * w - dot(r, r)) +
               (r * dot(r, point) + cross(r, point) * w + d * w - r * blended.dual.w + cross(r, d)) * 2.0f;
  vec3 step = point * (w * by_w - dot(r, by_r)) + by_r * dot(r, point) + r * dot(by_r, point) + cross(r, point) * by_w +
              cross(by_r, point) * w + by_d * w + d * by_w - by_r * blended.dual.w - r * change.dual.w +
              cross(by_r, d) + cross(r, by_d);
  return (step - moved * (dot(blended.real, change.real) / squared)) * (2.0f / squared);
}

PELT_SHARED_END

#endif
