// SPDX-License-Identifier: MIT
// The bulge of a section (bulge.h).

// The parameters of a sample besides lambda.
struct CurveShape {
  Real twist_share;              // dist(lambda)
  Real first_reach, last_reach;  // of the anchors' bulges
  Real twist;
  Real width_y, width_z;
};

// Falls from 1 at an end of a bone to 0; d is the skin distance at that end.
PELT_LANES_FN Real end_ramp(Real way, float distance, float bone) {
  return step_ramp(way, min(bone, kStepTurning * max(distance, bone * (1.0f / 16.0f))));
}

// The widening of the section: along the direction `inside` in the section, and across it.
struct CurveBulge {
  Real3 inside;
  Real along, across;
  Real press;  // part of `inside`'s side for which there is no room
};

// `pace`: v. `inside`: towards the inside of the bend, longer for a sharper bend.
PELT_LANES_FN CurveBulge curve_bulge(PELT_SHARED_IN(CurveEnd) first, PELT_SHARED_IN(CurveEnd) last, Real lambda,
                                     CurveShape shape, Real3 inside, Real3 press, Real pace) {
  float bone = last.arc - first.arc;
  Real u = 1.0f / max(pace, 0.05f) - 1.0f;
  // A slice that is longer than at rest thins by at most half of kCurveThinning.
  u = 0.5f * (u + sqrt(u * u + kCurveThinning * kCurveThinning) - kCurveThinning);
  // As a power of 2: 1 + tanh u = 2 / (1 + e^-2u).
  Real whole = mix(first.bulge.x, last.bulge.x, lambda) * (1.0f - log2_of(1.0f + exp_of(-2.0f * u)));
  CurveBulge bulge;
  bulge.press = min(length(press), 0.9f);
  inside += press;
  Real size = length(inside);
  bulge.inside = choose(size > 1e-6f, inside / max(size, 1e-6f), Real3(0.0f));
  Real along_share = 0.5f - 0.5f * kCurveAcross * smoothstep(0.0f, 0.3f, size);
  along_share *= 1.0f - min(2.0f * bulge.press, 1.0f);
  bulge.along = exp2_of(along_share * whole);
  bulge.across = exp2_of((1.0f - along_share) * whole);
  bulge.along *= 1.0f - bulge.press;
  Real first_fat = end_ramp(lambda * bone, first.distance, bone) * first.bend * shape.first_reach;
  Real last_fat = end_ramp((1.0f - lambda) * bone, last.distance, bone) * last.bend * shape.last_reach;
  bulge.across *= max(1.0f + first.bulge.y * first_fat + last.bulge.y * last_fat, kCurveLeastBulge);
  bulge.along *= max(1.0f + first.bulge.z * first_fat + last.bulge.z * last_fat, kCurveLeastBulge);
  return bulge;
}

PELT_LANES_FN Real3 bulged(CurveBulge bulge, Real3 axis) {
  Real3 along = bulge.inside * dot(bulge.inside, axis);
  return along * bulge.along + (axis - along) * bulge.across;
}
