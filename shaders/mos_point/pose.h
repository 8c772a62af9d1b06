// SPDX-License-Identifier: MIT
// Multipoint offset sampling (US 2013/0088497, equation 5; math.md section 3): v' = sum_j w_j T_j O, T_j = [F_j | p_j],
// the local point O the offset of the vertex.
//
// Weights of radial basis functions may be negative, the blend's are not. The palette entry of a point with a gain is
//     G + gain (T_j - G)                       G: the root joint's motion from rest
// so that a weight w_j is |w_j| / gain of the entry with the gain or its opposite, and what is left up to 1 has the
// gain 0: since sum w_j = 1, G drops out. A plain entry has the gain 1.
#ifndef PELT_SHADERS_MOS_POINT_POSE_H
#define PELT_SHADERS_MOS_POINT_POSE_H

#include "../mos.h"

PELT_SHARED_BEGIN

struct MosPointRecord {
  uint point;  // word
  float gain;
};
PELT_SHARED_SIZE(MosPointRecord, 8);

PELT_SHARED_FN Affine pose_mos_entry(MosPointRecord record, PoseWork work) {
  Affine root = mos_root_motion(work);
  Affine entry = mos_frame(pose_mos_point(work, root, record.point));
  return root * (1.0f - record.gain) + entry * record.gain;
}

PELT_SHARED_END

#endif
