// SPDX-License-Identifier: MIT
// Blended control points, and their frames (mos.h).

// A posed point as palette entries, in a form that can be blended: [still | p], [cosine | theta, 0, 0], [sine | 0].
struct MosEntries {
  RealAffine still, cosine, sine;
};

// Returns [F | p].
PELT_LANES_FN RealAffine mos_frame(PELT_SHARED_IN(MosEntries) point) {
  Real angle = point.cosine[0].w;
  RealAffine frame = point.still + point.cosine * cos_of(angle) + point.sine * sin_of(angle);
  frame[0].w = point.still[0].w;
  return frame;
}
