// SPDX-License-Identifier: MIT
// A sub-segment between positions along bones along which twists spread.
#ifndef PELT_SHADERS_HIERARCHICAL_BSPLINE_SPREAD_SEGMENT_POSE_H
#define PELT_SHADERS_HIERARCHICAL_BSPLINE_SPREAD_SEGMENT_POSE_H

#include "../spread_twist.h"
#include "segment_pose.h"

PELT_SHARED_BEGIN

struct SpreadSegmentRecord {
  SegmentRecord segment;
  SpreadTwist joint_twist;
  SpreadTwist parent_twist;
};
PELT_SHARED_SIZE(SpreadSegmentRecord, 200);

PELT_SHARED_FN SegmentEnd spread_end(SegmentEnd end, SpreadTwist twist, PoseWork work) {
  Affine turn = spread_turn(twist, work);
  return SegmentEnd(affine_compose(end.motion, turn), end.turning * affine_axes(turn));
}

PELT_SHARED_FN Affine pose_spread_segment(SpreadSegmentRecord record, PoseWork work) {
  SegmentRecord segment = record.segment;
  SegmentEnd joint = spread_end(segment_end(work, segment.joint, unpacked(segment.joint_inverse_bind)),
                                record.joint_twist, work);
  if (segment.share >= 1.0f) return joint.motion;
  SegmentEnd parent = spread_end(segment_end(work, segment.parent, unpacked(segment.parent_inverse_bind)),
                                 record.parent_twist, work);
  return segment_between(parent, joint, segment.share, unpacked(segment.origin));
}

PELT_SHARED_END

#endif
