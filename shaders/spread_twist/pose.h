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

// The twists and the joint that the steps along a bone share.
struct BoneTwistRecord {
  JointRecord joint;  // at its start
  uint own;           // word of the joint's own twist; kNoIndex: none
  uint child;         // word of that of the joint after the bone; kNoIndex: none
};
PELT_SHARED_SIZE(BoneTwistRecord, 60);

// A joint at a position along its bone.
struct SpreadRecord {
  JointRecord joint;
  uint twist;         // palette entry of its BoneTwistRecord
  float own_part;     // of the joint's own twist, undone, 0 to 1
  float child_part;   // of that of the joint after the bone, taken, 0 to 1
  PackedVec3 axis;    // of the bone, unit, model space at bind
  PackedVec3 origin;  // of the bone, model space at bind
};
PELT_SHARED_SIZE(SpreadRecord, 88);

// `rotation`, from bind, is that of the joint which twists or, if `is_next`, of the one before it.
PELT_SHARED_FN float fading_twist(PoseWork work, uint word, vec4 rotation, bool is_next) {
  vec4 rest = vec4(table_vector(work, word + 5u), table_float(work, word + 8u));
  vec4 turn = joint_turn(work, table_word(work, word), table_word(work, word + 1u), rest);
  vec3 axis = table_vector(work, word + 2u);
  float along = dot(quaternion_vector(turn), axis);
  float swing = 2.0f * atan_of(length(quaternion_vector(turn) - axis * along), sqrt(turn.w * turn.w + along * along));
  float most = table_float(work, word + kJointAngleWords);
  float angle = twist_angle(turn, axis);
  if (abs(turn.w) <= kHalfTurnTie) {
    // Half a turn goes the way that a blend of the two joints goes, or the skin between them would go both ways.
    vec4 rested = quaternion_product(joint_rotation(work, table_word(work, word + 1u)), rest);
    vec4 way =
        quaternion_product(quaternion_product(rested, along < 0.0f ? -turn : turn), quaternion_conjugate(rested));
    vec4 other = quaternion_product(is_next ? way : quaternion_conjugate(way), rotation);
    if (side_of(other, rotation) < 0.0f) angle = -angle;
  }
  return angle * (1.0f - smoothstep(0.5f * most, most, swing));
}

// An entry of numbers: the joint's rotation from bind as a quaternion, then its own twist and the one after the bone.
PELT_SHARED_FN Affine pose_bone_twist(BoneTwistRecord record, PoseWork work) {
  vec4 rotation = quaternion_from_rotation(joint_rotation_from_bind(record.joint, work));
  float own = record.own != kNoIndex ? fading_twist(work, record.own, rotation, false) : 0.0f;
  float child = record.child != kNoIndex ? fading_twist(work, record.child, rotation, true) : 0.0f;
  return Affine(rotation, vec4(own, child, 0.0f, 0.0f), vec4(0.0f));
}

// The turn about the bone there.
PELT_SHARED_FN vec4 spread_turn(SpreadRecord record, Affine twists) {
  return quaternion_about(unpacked(record.axis), record.child_part * twists[1].y - record.own_part * twists[1].x);
}

// T_j after that turn.
PELT_SHARED_FN Affine turned_joint(SpreadRecord record, vec4 turn, PoseWork work) {
  mat3 axes = rotation_from_quaternion(turn);
  vec3 origin = unpacked(record.origin);
  return affine_compose(pose_joint(record.joint, work), affine_from_axes(axes, origin - axes * origin));
}

PELT_SHARED_FN Affine pose_spread_joint(SpreadRecord record, PoseWork work) {
  return turned_joint(record, spread_turn(record, palette_entry(work, record.twist)), work);
}

PELT_SHARED_FN DualQuaternionEntry spread_dual_quaternion(SpreadRecord record, PoseWork work) {
  Affine twists = palette_entry(work, record.twist);
  vec4 turn = spread_turn(record, twists);
  mat3 rotation = rotation_from_quaternion(quaternion_product(twists[0], turn));
  return split_motion(turned_joint(record, turn, work), rotation);
}

PELT_SHARED_END

#endif
