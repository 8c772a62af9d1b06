// SPDX-License-Identifier: MIT
// Multi-segment joints (Forsey 1994, "Multi-segment Joints"): a sub-segment takes the fraction `share` of the joint's
// motion relative to its parent. With share 1 it is the joint itself.
#ifndef PELT_SHADERS_HIERARCHICAL_BSPLINE_SEGMENT_POSE_H
#define PELT_SHADERS_HIERARCHICAL_BSPLINE_SEGMENT_POSE_H

#include "../swing_twist.h"

PELT_SHARED_BEGIN

struct SegmentRecord {
  uint joint;
  uint parent;        // the joint itself if it is a root
  float share;        // 0 to 1
  PackedVec3 origin;  // the joint's, model space at bind
  PackedAffine joint_inverse_bind;
  PackedAffine parent_inverse_bind;
  float twist;  // the fraction of the twist about `axis`, and `share` of the swing
  float most;   // swing, radians, from half of which on all has `share` by degrees: at half a turn twists are undefined
  PackedVec3 axis;  // unit, model space at bind; 0: all has `share`
};
PELT_SHARED_SIZE(SegmentRecord, 140);

// The motion of a joint from bind.
PELT_SHARED_FN Affine joint_motion(PoseWork work, uint joint, Affine inverse_bind) {
  return affine_compose(joint_frame(work, joint), inverse_bind);
}

// The part of the turn `way`, which is `swing` after the twist about the axis.
PELT_SHARED_FN vec4 segment_turn(SegmentRecord record, vec4 way) {
  vec3 axis = unpacked(record.axis);
  if (dot(axis, axis) == 0.0f) return partial_turn(way, record.share);
  float along = dot(quaternion_vector(way), axis);
  float whole = sqrt(along * along + way.w * way.w);
  vec4 twist = whole > 0.0f ? vec4(axis * along, way.w) * (1.0f / whole) : vec4(0, 0, 0, 1);
  vec4 swing = quaternion_product(way, quaternion_conjugate(twist));
  float swing_angle = 2.0f * atan_of(length(quaternion_vector(swing)), swing.w);
  vec4 apart = quaternion_product(partial_turn(swing, record.share),
                                  quaternion_about(axis, record.twist * twist_angle(way, axis)));
  if (swing_angle <= 0.5f * record.most) return apart;
  vec4 part = partial_turn(way, record.share);
  if (dot(part, apart) < 0.0f) apart = -apart;
  return normalize(mix(apart, part, smoothstep(0.5f * record.most, record.most, swing_angle)));
}

// The part `share` of `path`, along which a screw moves a point while turning by `way` in the axes `from`: proportional
// along the screw's axis, on an arc about it.
PELT_SHARED_FN vec3 screw_part(mat3 from, vec4 way, float share, vec3 path) {
  vec4 shorter = shorter_turn(way);
  float sine = length(quaternion_vector(shorter));
  if (!exceeds(sine, 1e-4f)) return path * share;
  vec3 axis = from * (quaternion_vector(shorter) * (1.0f / sine));
  float half_angle = atan_of(sine, shorter.w);
  vec3 along = axis * dot(axis, path);
  vec3 across = path - along;
  float back = half_angle * (1.0f - share);
  vec3 way_across = across * cos_of(back) - cross(axis, across) * sin_of(back);
  return along * share + way_across * (sin_of(half_angle * share) / sine);
}

// D_s: the part of the screw from the parent's motion to the joint's. It turns by R_p (R_p^-1 R_j)^share, stretches by
// the mean of both stretches, and moves the joint's origin along the screw from its position under the parent to that
// under the joint; the two are equal unless the joint has moved in its parent.
PELT_SHARED_FN Affine pose_segment(SegmentRecord record, PoseWork work) {
  Affine whole = joint_motion(work, record.joint, unpacked(record.joint_inverse_bind));
  if (min(record.share, record.twist) >= 1.0f) return whole;
  Affine before = joint_motion(work, record.parent, unpacked(record.parent_inverse_bind));
  mat3 joint = affine_axes(whole);
  mat3 parent = affine_axes(before);
  mat3 turning = turning_motion(joint_frame(work, record.joint), unpacked(record.joint_inverse_bind));
  mat3 joint_turn = orthonormal_axes(turning);
  mat3 parent_turn =
      orthonormal_axes(turning_motion(joint_frame(work, record.parent), unpacked(record.parent_inverse_bind)));
  vec4 from = quaternion_from_rotation(parent_turn);
  vec4 way = quaternion_product(quaternion_conjugate(from), quaternion_from_rotation(joint_turn));
  // A joint scaled to a line or to nothing, that has lost its rotation, counts as not turned.
  mat3 faces = cofactor(turning);
  float area = max(max(dot(faces[0], faces[0]), dot(faces[1], faces[1])), dot(faces[2], faces[2]));
  float length = max(max(dot(turning[0], turning[0]), dot(turning[1], turning[1])), dot(turning[2], turning[2]));
  if (!exceeds(area, 1e-12f * length * length)) {
    way = vec4(0, 0, 0, 1);
    joint_turn = parent_turn;
  }
  mat3 turn = rotation_from_quaternion(quaternion_product(from, segment_turn(record, way)));
  mat3 stretch = transpose(parent_turn) * parent * (1.0f - record.share) + transpose(joint_turn) * joint * record.share;
  mat3 axes = turn * stretch;
  vec3 start = transform_point(before, unpacked(record.origin));
  vec3 end = transform_point(whole, unpacked(record.origin));
  vec3 origin = start + screw_part(parent_turn, way, record.share, end - start);
  return affine_from_axes(axes, origin - axes * unpacked(record.origin));
}

PELT_SHARED_END

#endif
