// SPDX-License-Identifier: MIT
// Multi-segment joints (Forsey 1994, "Multi-segment Joints"): a sub-segment has the part `share` of the joint's turn
// against its parent. With share 1 it is the joint itself.
#ifndef PELT_SHADERS_HIERARCHICAL_BSPLINE_SEGMENT_POSE_H
#define PELT_SHADERS_HIERARCHICAL_BSPLINE_SEGMENT_POSE_H

#include "../swing_twist.h"

PELT_SHARED_BEGIN

struct SegmentRecord {
  uint joint;
  uint parent;  // the joint itself at a root
  float share;  // 0 to 1
  vec3 origin;  // the joint's, model space at bind
  Affine joint_inverse_bind;
  Affine parent_inverse_bind;
};
PELT_SHARED_SIZE(SegmentRecord, 120);

// The motion of a joint from bind.
PELT_SHARED_FN Affine joint_motion(PoseWork work, uint joint, Affine inverse_bind) {
  return affine_compose(affine_from_mat4(joint_matrix(work, joint)), inverse_bind);
}

// D_s: turns by R_p (R_p^-1 R_j)^share, stretches by the mean of both stretches, and takes the joint's origin to the mean
// of where both take it, which is one place unless the joint has left its parent.
PELT_SHARED_FN Affine pose_segment(SegmentRecord record, PoseWork work) {
  Affine whole = joint_motion(work, record.joint, record.joint_inverse_bind);
  if (record.share >= 1.0f) return whole;
  Affine before = joint_motion(work, record.parent, record.parent_inverse_bind);
  mat3 joint = affine_axes(whole);
  mat3 parent = affine_axes(before);
  mat3 joint_turn = orthonormal_axes(joint);
  mat3 parent_turn = orthonormal_axes(parent);
  vec4 from = quaternion_from_rotation(parent_turn);
  vec4 way = quaternion_product(quaternion_conjugate(from), quaternion_from_rotation(joint_turn));
  // A joint that is scaled to a line or to nothing has not turned.
  mat3 faces = cofactor(joint);
  float area = max(max(dot(faces[0], faces[0]), dot(faces[1], faces[1])), dot(faces[2], faces[2]));
  float length = max(max(dot(joint[0], joint[0]), dot(joint[1], joint[1])), dot(joint[2], joint[2]));
  if (!(area > 1e-12f * length * length)) {
    way = vec4(0, 0, 0, 1);
    joint_turn = parent_turn;
  }
  mat3 turn = rotation_from_quaternion(quaternion_product(from, partial_turn(way, record.share)));
  mat3 stretch = transpose(parent_turn) * parent * (1.0f - record.share) + transpose(joint_turn) * joint * record.share;
  mat3 axes = turn * stretch;
  vec3 origin = transform_point(before, record.origin) * (1.0f - record.share) +
                transform_point(whole, record.origin) * record.share;
  return affine_from_axes(axes, origin - axes * record.origin);
}

PELT_SHARED_END

#endif
