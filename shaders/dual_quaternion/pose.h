// SPDX-License-Identifier: MIT
// The palette of dual quaternions: linear blend's T_j, split into a rigid motion and a stretch, two entries per joint.
#ifndef PELT_SHADERS_DUAL_QUATERNION_POSE_H
#define PELT_SHADERS_DUAL_QUATERNION_POSE_H

#include "../linear_blend/pose.h"
#include "dual_quaternion.h"

PELT_SHARED_BEGIN

// Entry 2j holds the dual quaternion in its first two rows, and 1 in the third if the joint stretches, else 0. Entry 2j
// + 1 holds the stretch, which is read only if a joint stretches. Influences refer to entry 2j.
PELT_SHARED_CONST uint kDualQuaternionEntries = 2u;

// A stretch nearer to 1 than this counts as 1: rounding along a chain of joints leaves about 1e-6.
PELT_SHARED_CONST float kNoStretch = 4e-6f;

struct DualQuaternionEntry {
  Affine rigid;
  Affine stretch;
};

PELT_SHARED_FN mat3 joint_rotation_from_bind(JointRecord record, PoseWork work) {
  return nearest_rotation(turning_motion(joint_frame(work, record.joint), unpacked(record.inverse_bind)));
}

// The entry of a motion with this rotation.
PELT_SHARED_FN DualQuaternionEntry split_motion(Affine motion, mat3 rotation) {
  DualQuaternion rigid = dual_quaternion_from_rigid(rotation, affine_origin(motion));
  mat3 stretch = transpose(rotation) * affine_axes(motion);
  bool is_one = true;
  for (int c = 0; c < 3; ++c) {
    vec3 off = abs(stretch[c] - vec3(c == 0 ? 1.0f : 0.0f, c == 1 ? 1.0f : 0.0f, c == 2 ? 1.0f : 0.0f));
    is_one = is_one && is_within(off.x, kNoStretch) && is_within(off.y, kNoStretch) && is_within(off.z, kNoStretch);
  }
  DualQuaternionEntry entry;
  entry.rigid = Affine(rigid.real, rigid.dual, vec4(is_one ? 0.0f : 1.0f, 0.0f, 0.0f, 0.0f));
  entry.stretch = affine_from_axes(is_one ? mat3(1.0f) : stretch, vec3(0.0f));
  return entry;
}

PELT_SHARED_FN DualQuaternionEntry dual_quaternion_entry(JointRecord record, PoseWork work) {
  return split_motion(pose_joint(record, work), joint_rotation_from_bind(record, work));
}

PELT_SHARED_END

#endif
