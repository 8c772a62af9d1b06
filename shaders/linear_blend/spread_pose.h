// SPDX-License-Identifier: MIT
// Linear blend's T_j at a position along the bone of joint j, along which twists spread.
#ifndef PELT_SHADERS_LINEAR_BLEND_SPREAD_POSE_H
#define PELT_SHADERS_LINEAR_BLEND_SPREAD_POSE_H

#include "../spread_twist.h"
#include "pose.h"

PELT_SHARED_BEGIN

struct SpreadRecord {
  JointRecord joint;
  SpreadTwist twist;
};
PELT_SHARED_SIZE(SpreadRecord, 92);

PELT_SHARED_FN Affine pose_spread_joint(SpreadRecord record, PoseWork work) {
  return affine_compose(pose_joint(record.joint, work), spread_turn(record.twist, work));
}

PELT_SHARED_END

#endif
