// SPDX-License-Identifier: MIT
// Twists spread along bones: skin along a bone takes a part of the twist of the joint after it, and undoes a part of
// the bone's own. It turns about the bone's axis at bind, before its joint moves it.
#ifndef PELT_SHADERS_SPREAD_TWIST_POSE_H
#define PELT_SHADERS_SPREAD_TWIST_POSE_H

#include "../dual_quaternion/pose.h"
#include "../swing_twist.h"

PELT_SHARED_BEGIN

// A word of a twist in the table: kJointAngleWords of the angle, against any joint above and from bind, then the swing,
// radians, from half of which on the twist fades to 0: at half a turn it is undefined.
PELT_SHARED_CONST uint kTwistWords = 10u;

// A joint at a position along its bone.
struct SpreadRecord {
  JointRecord joint;
  uint own;           // word of the joint's own twist; kNoIndex: none
  uint child;         // word of that of the joint after the bone; kNoIndex: none
  float own_part;     // undone, 0 to 1
  float child_part;   // taken, 0 to 1
  PackedVec3 axis;    // of the bone, unit, model space at bind
  PackedVec3 origin;  // of the bone, model space at bind
};
PELT_SHARED_SIZE(SpreadRecord, 92);

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
PELT_SHARED_FN Affine spread_turn(SpreadRecord record, PoseWork work) {
  float angle = 0.0f;
  if (record.child != kNoIndex) angle += record.child_part * fading_twist(work, record.child);
  if (record.own != kNoIndex) angle -= record.own_part * fading_twist(work, record.own);
  mat3 axes = rotation_from_quaternion(vec4(unpacked(record.axis) * sin_of(0.5f * angle), cos_of(0.5f * angle)));
  return affine_from_axes(axes, unpacked(record.origin) - axes * unpacked(record.origin));
}

// Linear blend's T_j there.
PELT_SHARED_FN Affine pose_spread_joint(SpreadRecord record, PoseWork work) {
  return affine_compose(pose_joint(record.joint, work), spread_turn(record, work));
}

PELT_SHARED_FN DualQuaternionEntry spread_dual_quaternion(SpreadRecord record, PoseWork work) {
  Affine turn = spread_turn(record, work);
  mat3 rotation = joint_rotation_from_bind(record.joint, work) * affine_axes(turn);
  return split_motion(affine_compose(pose_joint(record.joint, work), turn), rotation);
}

PELT_SHARED_END

#endif
