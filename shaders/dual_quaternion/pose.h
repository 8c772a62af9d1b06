// SPDX-License-Identifier: MIT
// Dual quaternion's palette: linear blend's T_j, split into a rigid motion and a stretch, two entries a joint.
#ifndef PELT_SHADERS_DUAL_QUATERNION_POSE_H
#define PELT_SHADERS_DUAL_QUATERNION_POSE_H

#include "../linear_blend/pose.h"
#include "dual_quaternion.h"

PELT_SHARED_BEGIN

// Entry 2j holds the dual quaternion in its first two rows (the third is zero), entry 2j + 1 the stretch. Influences
// name entry 2j.
PELT_SHARED_CONST uint kDualQuaternionSlots = 2u;

struct DualQuaternionEntry {
  Affine rigid;
  Affine stretch;
};

PELT_SHARED_FN DualQuaternionEntry dual_quaternion_entry(Affine joint_transform) {
  mat3 axes = affine_axes(joint_transform);
  mat3 rotation = nearest_rotation(axes);
  DualQuaternion rigid = dual_quaternion_from_rigid(rotation, affine_origin(joint_transform));
  DualQuaternionEntry entry;
  entry.rigid = Affine(rigid.real, rigid.dual, vec4(0.0f));
  entry.stretch = affine_from_axes(transpose(rotation) * axes, vec3(0.0f));
  return entry;
}

PELT_SHARED_END

#endif
