// SPDX-License-Identifier: MIT
// Quaternions (x, y, z, w), w the scalar part, and the rotations that they represent.
#ifndef PELT_SHADERS_QUATERNION_H
#define PELT_SHADERS_QUATERNION_H

#include "angle.h"
#include "pelt/shaders/frame.h"

PELT_SHARED_BEGIN

#include "quaternion.inl"

// Half a turn is as long either way, and animations stop there. To keep rounding from deciding, so that all processors
// go the same way, the axis then leans to a direction that is unlikely to be perpendicular to an axis of a rig.
PELT_SHARED_CONST float kHalfTurnTie = 4e-6f;

// Positive if the rotation by (v, w) is less than half a turn, negative if that by (-v, -w) is.
PELT_SHARED_FN float turn_side(vec3 v, float w) {
  return abs(w) > kHalfTurnTie ? w : dot(v, vec3(0.83f, 0.47f, 0.31f));
}

// q or -q, which are the same rotation: the one of less than half a turn.
PELT_SHARED_FN vec4 shorter_turn(vec4 q) { return turn_side(quaternion_vector(q), q.w) < 0.0f ? -q : q; }

PELT_SHARED_FN vec4 quaternion_from_rotation(mat3 r) {
  // Uses that of four equivalent forms which divides by the largest component (Shepperd 1978).
  float trace = r[0].x + r[1].y + r[2].z;
  vec4 q = vec4(r[1].z - r[2].y, r[2].x - r[0].z, r[0].y - r[1].x, 1.0f + trace);
  if (trace <= 0.0f) {
    if (r[0].x >= r[1].y && r[0].x >= r[2].z) {
      q = vec4(1.0f + r[0].x - r[1].y - r[2].z, r[0].y + r[1].x, r[2].x + r[0].z, r[1].z - r[2].y);
    } else if (r[1].y >= r[2].z) {
      q = vec4(r[0].y + r[1].x, 1.0f - r[0].x + r[1].y - r[2].z, r[1].z + r[2].y, r[2].x - r[0].z);
    } else {
      q = vec4(r[2].x + r[0].z, r[1].z + r[2].y, 1.0f - r[0].x - r[1].y + r[2].z, r[0].y - r[1].x);
    }
  }
  return normalize(q);
}

// The part of v perpendicular to the unit vector x, as a unit vector; `otherwise` if only rounding is left of it. A
// small remainder still leans towards x, so the perpendicular part is taken again.
PELT_SHARED_FN vec3 direction_across(vec3 x, vec3 v, vec3 otherwise) {
  vec3 across = v - x * dot(x, v);
  float left = dot(across, across);
  float whole = dot(v, v);
  if (!exceeds(left, 1e-12f * whole)) return otherwise;
  vec3 direction = normalize_or(across, otherwise);
  return left > 1e-2f * whole ? direction : normalize_or(direction - x * dot(x, direction), otherwise);
}

// A rotation near m: its columns orthonormalised in order, right-handed, finite even if m is singular.
PELT_SHARED_FN mat3 orthonormal_axes(mat3 m) {
  vec3 x = normalize_or(m[0], normalize_or(cross(m[1], m[2]), vec3(1, 0, 0)));
  vec3 other = abs(x.x) < 0.6f ? vec3(1, 0, 0) : vec3(0, 1, 0);
  vec3 z = direction_across(x, m[2], cross(x, normalize(cross(x, other))));
  vec3 y = direction_across(x, m[1], cross(z, x));
  return mat3(x, y, cross(x, y));
}

// The rotation closest to m: the rotation r, turned by the residual torque until that vanishes (Mueller et al. 2016, "A
// Robust Method to Extract the Rotational Part of Deformations").
PELT_SHARED_FN mat3 nearest_rotation_from(mat3 m, mat3 r) {
  for (int step = 0; step < 12; ++step) {
    vec3 torque = cross(r[0], m[0]) + cross(r[1], m[1]) + cross(r[2], m[2]);
    float size = abs(dot(r[0], m[0]) + dot(r[1], m[1]) + dot(r[2], m[2])) + 1e-20f;
    vec3 turn = torque * (1.0f / size);
    float angle = length(turn);
    if (angle < 1e-6f) break;
    vec4 q = vec4(turn * (sin_of(0.5f * angle) / angle), cos_of(0.5f * angle));
    r = orthonormal_axes(rotation_from_quaternion(q) * r);
  }
  return r;
}

// The same from the orthonormalised columns on. Exact at once if m is a rotation.
PELT_SHARED_FN mat3 nearest_rotation(mat3 m) { return nearest_rotation_from(m, orthonormal_axes(m)); }

PELT_SHARED_FN float largest_entry(mat3 m) {
  vec3 largest = max(max(abs(m[0]), abs(m[1])), abs(m[2]));
  return max(max(largest.x, largest.y), largest.z);
}

// -1 if m mirrors, else 1. The rounding of collapsed frames does not mirror.
PELT_SHARED_CONST float kMirrorRounding = 5e-6f;  // of a determinant, for entries up to 1
PELT_SHARED_CONST float kMirrorSize = 3e-3f;      // squared; smaller frames are as inexact as this

PELT_SHARED_FN float mirror_sign(mat3 m) {
  float size = largest_entry(m);
  return dot(m[1], cross(m[2], m[0])) < -kMirrorRounding * max(size * size, kMirrorSize) * size ? -1.0f : 1.0f;
}

PELT_SHARED_FN vec3 axis_lengths(mat3 axes) { return vec3(length(axes[0]), length(axes[1]), length(axes[2])); }

// The same for the axes of a joint, of any scale.
PELT_SHARED_FN float joint_mirror_sign(mat3 axes) {
  vec3 lengths = axis_lengths(axes);
  return mirror_sign(axes * (1.0f / max(lengths.x + lengths.y + lengths.z, 1e-30f)));
}

// False if two axes of a joint have no length, so that its rotation is lost.
PELT_SHARED_FN bool has_rotation(mat3 axes) {
  vec3 lengths = axis_lengths(axes);
  return exceeds(max(min(lengths.x, lengths.y), min(max(lengths.x, lengths.y), lengths.z)), 1e-15f);
}

// The axes that tell how a joint has turned from rest, however a pose shrinks or mirrors it. Short axes are lengthened,
// so that products keep their directions. Mirrored axes -Q have no one rotation: Q is the limit if all axes shrink to
// nothing and grow beyond, Q turned half round the shortest axis the limit if only that one does. The ratio of the two
// shortest axes leads from one to the other; then the size leads to Q turned half round z. `by_rest`: 1 / the scale at
// rest, negative if the joint is mirrored there.
PELT_SHARED_CONST float kShortestAxis = 0.01f;

PELT_SHARED_FN mat3 turning_axes(mat3 axes, float by_rest) {
  vec3 lengths = axis_lengths(axes);
  float longest = max(lengths.x, max(lengths.y, lengths.z));
  float least = kShortestAxis * longest;
  mat3 longer = axes;
  for (int c = 0; c < 3; ++c) {
    if (lengths[c] < least && exceeds(lengths[c], 1e-15f)) longer[c] = axes[c] * (least / lengths[c]);
  }
  if ((joint_mirror_sign(longer) < 0.0f) == (by_rest < 0.0f)) return longer;
  int shortest = lengths.x <= lengths.y ? (lengths.x <= lengths.z ? 0 : 2) : (lengths.y <= lengths.z ? 1 : 2);
  float next = min(lengths[(shortest + 1) % 3], lengths[(shortest + 2) % 3]);
  float even = smoothstep(0.0f, 1.0f, lengths[shortest] / next);
  float flat_angle = 0.25f * kWholeTurn * (1.0f - even);
  float large = even * smoothstep(0.0f, 1.0f, longest * abs(by_rest));
  if (large > 1.0f - 1e-6f) return mat3(longer[0], longer[1], -longer[2]);  // exactly
  float large_angle = 0.25f * kWholeTurn * large;
  vec4 flat_turn = vec4(normalize_or(longer[shortest], vec3(0.0f)) * sin_of(flat_angle), cos_of(flat_angle));
  vec4 large_turn = vec4(normalize_or(longer[2], vec3(0.0f)) * sin_of(large_angle), cos_of(large_angle));
  return rotation_from_quaternion(quaternion_product(large_turn, flat_turn)) * longer * -1.0f;
}

// The same for the joint's motion from bind.
PELT_SHARED_FN mat3 turning_motion(Affine joint, Affine inverse_bind) {
  mat3 from_bind = affine_axes(inverse_bind);
  mat3 axes = turning_axes(affine_axes(joint), joint_mirror_sign(from_bind) * length(from_bind[0]));
  return affine_axes(affine_compose(affine_from_axes(axes, vec3(0.0f)), inverse_bind));
}

PELT_SHARED_FN vec4 quaternion_conjugate(vec4 q) { return vec4(-q.x, -q.y, -q.z, q.w); }

PELT_SHARED_FN vec3 quaternion_rotate(vec4 q, vec3 v) {
  vec3 u = quaternion_vector(q);
  vec3 across = cross(u, v) * 2.0f;
  return v + across * q.w + cross(u, across);
}

// The rotation about the unit vector `axis` by `angle`, radians.
PELT_SHARED_FN vec4 quaternion_about(vec3 axis, float angle) {
  return vec4(axis * sin_of(0.5f * angle), cos_of(0.5f * angle));
}

PELT_SHARED_END

#endif
