// SPDX-License-Identifier: MIT
// Control points that were blended, and their frames (mos.h).

// A posed point as palette entries, which are blended as they are: [still | p], [cosine | theta, 0, 0], [sine | 0].
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
