// SPDX-License-Identifier: MIT
// Parametric drivers (Singh & Kokkevis 2000, section 3; docs/mathematics.md section 1). A driver element is a sample
// (u, v) of a B-spline or NURBS patch with the frame Q = [t_u t_v n | S] and the palette entry Q^D (Q^R)^-1. The patch
// is linear in its control vertices P_i, so a sample stores the basis functions R_i and their derivatives.
#ifndef PELT_SHADERS_PATCH_FRAME_POSE_H
#define PELT_SHADERS_PATCH_FRAME_POSE_H

#include "../../pose_pass.h"
#include "../../surface_ffd/pose.h"
#include "pelt/shaders/frame.h"

PELT_SHARED_BEGIN

// The table holds, per control vertex that affects the sample: the vertex of the instance, R, dR/du, dR/dv.
PELT_SHARED_CONST uint kPatchBasisWords = 4u;

struct PatchRecord {
  uint first_word;
  uint basis_count;
  PackedAffine rest_inverse;  // (Q^R)^-1
};
PELT_SHARED_SIZE(PatchRecord, 56);

// A point of a patch and its derivatives.
struct PatchPoint {
  vec3 position;
  vec3 tangent_u;
  vec3 tangent_v;
};

PELT_SHARED_FN PatchPoint patch_point(PatchRecord record, PoseWork work) {
  PatchPoint point = PatchPoint(vec3(0.0f), vec3(0.0f), vec3(0.0f));
  uint word = record.first_word;
  for (uint i = 0u; i < record.basis_count; ++i) {
    vec3 control = posed_vertex(work, table_word(work, word));
    point.position += table_float(work, word + 1u) * control;
    point.tangent_u += table_float(work, word + 2u) * control;
    point.tangent_v += table_float(work, word + 3u) * control;
    word += kPatchBasisWords;
  }
  return point;
}

PELT_SHARED_FN Affine pose_patch_sample(PatchRecord record, PoseWork work) {
  PatchPoint point = patch_point(record, work);
  return edge_motion(point.tangent_u, point.tangent_v, point.position, unpacked(record.rest_inverse));
}

PELT_SHARED_END

#endif
