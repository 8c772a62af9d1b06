// SPDX-License-Identifier: MIT
// Multipoint offset sampling (US 2013/0088497, equation 5; docs/mathematics.md section 3): v' = sum_j w_j T_j O, T_j =
// [F_j | p_j], the local point O the offset of the vertex.
#ifndef PELT_SHADERS_MOS_POINT_POSE_H
#define PELT_SHADERS_MOS_POINT_POSE_H

#include "mos.h"

PELT_SHARED_BEGIN

struct MosPointRecord {
  uint point;  // word
};
PELT_SHARED_SIZE(MosPointRecord, 4);

// Returns the point for windows (table_pose.h), each of which blends four points.
PELT_SHARED_FN MosEntries pose_window_point(MosPointRecord record, PoseWork work) {
  return mos_entries(pose_mos_point(work, record.point));
}

// Returns the palette entry of a point that carries skin.
PELT_SHARED_FN Affine pose_mos_entry(MosPointRecord record, PoseWork work) {
  return mos_frame(pose_window_point(record, work));
}

PELT_SHARED_END

#endif
