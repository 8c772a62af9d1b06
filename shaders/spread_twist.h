// SPDX-License-Identifier: MIT
// Twists spread along bones: skin along a bone takes a part of the twist of the joint after it, and undoes a part of the
// bone's own. It turns about the bone's axis at bind, before its joint moves it.
#ifndef PELT_SHADERS_SPREAD_TWIST_H
#define PELT_SHADERS_SPREAD_TWIST_H

#include "swing_twist.h"

PELT_SHARED_BEGIN

// A word of a twist in the table: kJointAngleWords of the angle, against any joint above and from bind, then the swing,
// radians, from half of which on the twist fades to 0: at half a turn it is undefined.
PELT_SHARED_CONST uint kTwistWords = 10u;

struct SpreadTwist {
  uint own;           // word of the joint's own twist; kNoIndex: none
  uint child;         // word of that of the joint after the bone; kNoIndex: none
  float own_part;     // undone, 0 to 1
  float child_part;   // taken, 0 to 1
  PackedVec3 axis;    // of the bone, unit, model space at bind
  PackedVec3 origin;  // of the bone, model space at bind
};
PELT_SHARED_SIZE(SpreadTwist, 40);

PELT_SHARED_FN float fading_twist(PoseWork work, uint word) {
  vec4 rest = vec4(table_vector(work, word + 5u), table_float(work, word + 8u));
  vec4 turn = joint_turn(work, table_word(work, word), table_word(work, word + 1u), rest);
  vec3 axis = table_vector(work, word + 2u);
  float along = dot(quaternion_vector(turn), axis);
  float swing = 2.0f * atan_of(length(quaternion_vector(turn) - axis * along), sqrt(turn.w * turn.w + along * along));
  float most = table_float(work, word + kJointAngleWords);
  return twist_angle(turn, axis) * (1.0f - smoothstep(0.5f * most, most, swing));
}

// The turn about the bone, as a motion of model space at bind.
PELT_SHARED_FN Affine spread_turn(SpreadTwist twist, PoseWork work) {
  float angle = 0.0f;
  if (twist.child != kNoIndex) angle += twist.child_part * fading_twist(work, twist.child);
  if (twist.own != kNoIndex) angle -= twist.own_part * fading_twist(work, twist.own);
  mat3 axes = rotation_from_quaternion(vec4(unpacked(twist.axis) * sin_of(0.5f * angle), cos_of(0.5f * angle)));
  return affine_from_axes(axes, unpacked(twist.origin) - axes * unpacked(twist.origin));
}

PELT_SHARED_END

#endif
