// SPDX-License-Identifier: MIT
// Rotations of joints: from rest, and their twist about an axis.
#ifndef PELT_SHADERS_SWING_TWIST_H
#define PELT_SHADERS_SWING_TWIST_H

#include "pelt/shaders/frame.h"
#include "pose_pass.h"
#include "quaternion.h"
#include "table.h"

PELT_SHARED_BEGIN

// The twist of q about the unit vector `axis` (swing-twist), in (-pi, pi]. Does not count whole turns.
PELT_SHARED_FN float twist_angle(vec4 q, vec3 axis) {
  float along = dot(quaternion_vector(q), axis);
  float real = q.w;
  if (abs(real) <= kHalfTurnTie)
    along = abs(along);  // not -pi
  else if (real < 0.0f)
    along = -along;
  real = abs(real);
  return real + abs(along) > 0.0f ? 2.0f * atan_of(along, real) : 0.0f;
}

// The fraction `part` of the rotation q, by the shorter way.
PELT_SHARED_FN vec4 partial_turn(vec4 q, float part) {
  vec4 shorter = shorter_turn(q);
  float sine = length(quaternion_vector(shorter));
  float angle = part * atan_of(sine, shorter.w);
  return sine > 0.0f ? vec4(quaternion_vector(shorter) * (sin_of(angle) / sine), cos_of(angle)) : vec4(0, 0, 0, 1);
}

// Half of the rotation q, by the shorter way.
PELT_SHARED_FN vec4 half_turn(vec4 q) { return normalize(shorter_turn(q) + vec4(0, 0, 0, 1)); }

PELT_SHARED_FN vec4 joint_rotation(PoseWork work, uint joint) {
  return quaternion_from_rotation(orthonormal_axes(turning_axes(affine_axes(joint_frame(work, joint)), 0.0f)));
}

// The rotation of a joint in its parent, from its rest there. A joint that has lost its rotation has not turned.
PELT_SHARED_FN vec4 joint_turn(PoseWork work, uint joint, uint parent, vec4 rest) {
  if (!has_rotation(affine_axes(joint_frame(work, joint)))) return vec4(0, 0, 0, 1);
  vec4 local = quaternion_product(quaternion_conjugate(joint_rotation(work, parent)), joint_rotation(work, joint));
  return quaternion_product(quaternion_conjugate(rest), local);
}

// Layout of the table: joint, parent joint, axis x, y, z, rest rotation of the joint in its parent x, y, z, w.
PELT_SHARED_CONST uint kJointAngleWords = 9u;

// The twist of a joint from rest about its axis, relative to its parent (swing-twist), in (-pi, pi]. Does not count
// whole turns.
PELT_SHARED_FN float joint_angle(PoseWork work, uint word) {
  vec4 rest = vec4(table_vector(work, word + 5u), table_float(work, word + 8u));
  vec4 turn = joint_turn(work, table_word(work, word), table_word(work, word + 1u), rest);
  return twist_angle(turn, table_vector(work, word + 2u));
}

PELT_SHARED_END

#endif
