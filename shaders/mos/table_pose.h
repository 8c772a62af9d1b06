// SPDX-License-Identifier: MIT
// Multipoint offset sampling along a chain (US 2013/0088497, figure 7; docs/mathematics.md section 3, "bspline"): four
// consecutive control points are a window, a uniform cubic B-spline segment with the frame
//     M(u) = sum_k N_k(u) [F_k(theta) | p_k],   theta = sum_k N_k(u) Theta_k
// and the palette entry of a sample u is M^D (M^R)^-1, so that the blend's local point is the rest position.
#ifndef PELT_SHADERS_MOS_TABLE_POSE_H
#define PELT_SHADERS_MOS_TABLE_POSE_H

#include "../spline.h"
#include "mos.h"

PELT_SHARED_BEGIN

// Layout of the table:
//   sample   u, (M^R)^-1 row by row
PELT_SHARED_CONST uint kMosSampleInverse = 1u;
PELT_SHARED_CONST uint kMosSampleWords = 1u + kTableAffineWords;

PELT_SHARED_CONST uint kMosEntries = 8u;  // palette entries per record: neighbouring samples of one window
PELT_SHARED_CONST uint kMosWindow = 4u;   // points

struct MosTableRecord {
  uint points[kMosWindow];  // first palette entries; clamped ends repeat a point
  uint first_sample;        // word; kMosEntries samples
};
PELT_SHARED_SIZE(MosTableRecord, 20);

// A posed window.
struct MosWindow {
  MosEntries points[kMosWindow];
};

PELT_SHARED_FN MosWindow posed_window(MosTableRecord record, PoseWork work) {
  MosWindow window;
  for (uint k = 0u; k < kMosWindow; ++k) {
    uint entry = record.points[k];
    window.points[k] =
        MosEntries(palette_entry(work, entry), palette_entry(work, entry + 1u), palette_entry(work, entry + 2u));
  }
  return window;
}

#include "table_pose.inl"

// Returns the sum of one of the entries of each of the window's points.
PELT_SHARED_FN Affine blended_entry(MosTableRecord record, PoseWork work, vec4 weights, uint part) {
  return palette_entry(work, record.points[0] + part) * weights.x +
         palette_entry(work, record.points[1] + part) * weights.y +
         palette_entry(work, record.points[2] + part) * weights.z +
         palette_entry(work, record.points[3] + part) * weights.w;
}

// Returns the palette entry of sample k of the record.
PELT_SHARED_FN Affine pose_mos_sample(MosTableRecord record, PoseWork work, uint k) {
  uint word = record.first_sample + k * kMosSampleWords;
  vec4 weights = spline_basis(table_float(work, word));
  Affine still = blended_entry(record, work, weights, 0u);
  Affine cosine = blended_entry(record, work, weights, 1u);
  Affine sine = blended_entry(record, work, weights, 2u);
  return affine_compose(mos_frame(MosEntries(still, cosine, sine)), table_affine(work, word + kMosSampleInverse));
}

PELT_SHARED_END

#endif
