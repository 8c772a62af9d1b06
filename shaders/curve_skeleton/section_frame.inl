// SPDX-License-Identifier: MIT
// Frames of a curve from steps (pose.h).

// Twists and bulges a section of the curve, and returns M.
PELT_LANES_FN RealAffine curve_frame(PELT_SHARED_IN(CurveSection) section, PELT_SHARED_IN(CurveEnd) first,
                                     PELT_SHARED_IN(CurveEnd) last, vec2 scales, float centre, Real lambda,
                                     CurveShape shape) {
  Real3 x = section.axes.x;
  Real3 inside = section.inside - x * dot(x, section.inside);
  Real3 y = turned_about(x, section.axes.y, mix(first.twist, last.twist, shape.twist_share) + shape.twist);
  Real3 z = cross(x, y);

  Real scale = mix(scales.x, scales.y, lambda);
  Real pace = section.kept * dot(section.place.slope, x) / max(scale, 1e-20f);
  CurveBulge bulge = curve_bulge(first, last, lambda, shape, inside, section.press - x * dot(x, section.press), pace);
  Real3 origin = mix(section.place.point, mix(Real3(first.point), Real3(last.point), lambda), centre);
  origin += section.shift;
  return affine_from_axes(
      Real3x3(x * scale, bulged(bulge, y) * (scale * shape.width_y), bulged(bulge, z) * (scale * shape.width_z)),
      origin);
}

// Returns M at lambda of a bone with frames from steps.
PELT_LANES_FN RealAffine step_curve_frame(PoseWork work, uint curve, uint bone, Real lambda, CurveShape shape) {
  Chain chain = read_chain(work, curve);
  CurveEnd first = step_end(work, chain, curve, bone);
  CurveEnd last = step_end(work, chain, curve, bone + 1u);
  vec2 scales = bone_scales(chain, bone, first.scale, last.scale);
  CurveSection section = step_section(work, chain, curve, bone, lambda, scales);
  return curve_frame(section, first, last, scales, table_float(work, curve + kCurveCentre), lambda, shape);
}
