// SPDX-License-Identifier: MIT
// The frame at a point of a window (table_pose.h).

// Returns M(u).
PELT_LANES_FN RealAffine mos_window_frame(PELT_SHARED_IN(MosWindow) window, Real u) {
  Real4 weights = spline_basis(u);
  MosEntries blend;
  blend.still = window.points[0].still * weights.x + window.points[1].still * weights.y +
                window.points[2].still * weights.z + window.points[3].still * weights.w;
  blend.cosine = window.points[0].cosine * weights.x + window.points[1].cosine * weights.y +
                 window.points[2].cosine * weights.z + window.points[3].cosine * weights.w;
  blend.sine = window.points[0].sine * weights.x + window.points[1].sine * weights.y +
               window.points[2].sine * weights.z + window.points[3].sine * weights.w;
  return mos_frame(blend);
}
