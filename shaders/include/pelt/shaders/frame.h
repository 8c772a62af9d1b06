// SPDX-License-Identifier: MIT
// Affine frames: the values of every palette. Column vectors, right-handed.
#ifndef PELT_SHADERS_FRAME_H
#define PELT_SHADERS_FRAME_H

#include "pelt/shaders/interop.h"

PELT_SHARED_BEGIN

PELT_SHARED_FN Affine affine_identity() { return Affine(vec4(1, 0, 0, 0), vec4(0, 1, 0, 0), vec4(0, 0, 1, 0)); }

#include "pelt/shaders/frame.inl"

// Drops the last row, (0, 0, 0, 1), of a column-major 4x4 matrix.
PELT_SHARED_FN Affine affine_from_mat4(mat4 m) {
  return Affine(vec4(m[0].x, m[1].x, m[2].x, m[3].x),  //
                vec4(m[0].y, m[1].y, m[2].y, m[3].y),  //
                vec4(m[0].z, m[1].z, m[2].z, m[3].z));
}

PELT_SHARED_FN vec3 transform_vector(Affine f, vec3 v) { return vec4(v, 0.0f) * f; }

// cofactor(m) = det(m) inverse(m)^T: maps normals; finite even if m is singular.
PELT_SHARED_FN mat3 cofactor(mat3 m) { return mat3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])); }

// True if x is above `limit`, which is 0 or more; false for NaN. GLSL compilers may assume that no NaN occurs and turn
// !(x > limit) into x <= limit, so this compares bits: those of positive floats ascend, with NaN after infinity.
PELT_SHARED_FN bool exceeds(float x, float limit) {
  uint bits = floatBitsToUint(x);
  return bits > floatBitsToUint(limit) && bits <= 0x7F800000u;
}

// True if x, 0 or more, is at most `limit`; false if x is NaN. As above.
PELT_SHARED_FN bool is_within(float x, float limit) { return floatBitsToUint(x) <= floatBitsToUint(limit); }

// normalize(v), or `otherwise` if v is too short. Components must be below 1e19.
PELT_SHARED_FN vec3 normalize_or(vec3 v, vec3 otherwise) {
  float squared = dot(v, v);
  return squared > 1e-30f ? v * (1.0f / sqrt(squared)) : otherwise;
}

PELT_SHARED_END

#endif
