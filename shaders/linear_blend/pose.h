// SPDX-License-Identifier: MIT
// Linear blend's palette: T_j = J_j B_j^-1, J_j the posed joint in model space, B_j^-1 its inverse bind matrix.
#ifndef PELT_SHADERS_LINEAR_BLEND_POSE_H
#define PELT_SHADERS_LINEAR_BLEND_POSE_H

#include "../pose_pass.h"

PELT_SHARED_BEGIN

struct JointRecord {
  uint joint;                 // index in the instance's joint matrices
  PackedAffine inverse_bind;  // joint space from model space at bind
};
PELT_SHARED_SIZE(JointRecord, 52);

PELT_SHARED_FN Affine pose_joint(JointRecord record, PoseWork work) {
  return affine_compose(joint_frame(work, record.joint), unpacked(record.inverse_bind));
}

PELT_SHARED_END

#endif
