// SPDX-License-Identifier: MIT
// The dual quaternion of a joint at a position along its bone, along which twists spread.
#ifndef PELT_SHADERS_DUAL_QUATERNION_SPREAD_POSE_H
#define PELT_SHADERS_DUAL_QUATERNION_SPREAD_POSE_H

#include "../linear_blend/spread_pose.h"
#include "pose.h"

PELT_SHARED_BEGIN

PELT_SHARED_FN DualQuaternionEntry spread_dual_quaternion(SpreadRecord record, PoseWork work) {
  Affine turn = spread_turn(record.twist, work);
  mat3 rotation = joint_rotation_from_bind(record.joint, work) * affine_axes(turn);
  return split_motion(affine_compose(pose_joint(record.joint, work), turn), rotation);
}

PELT_SHARED_END

#endif
