// SPDX-License-Identifier: MIT
// Makes frames from axes, takes them apart and composes them (frame.h).

// [a b c | origin] from the columns of `axes`.
PELT_LANES_FN RealAffine affine_from_axes(Real3x3 axes, Real3 origin) {
  return RealAffine(Real4(axes[0].x, axes[1].x, axes[2].x, origin.x),  //
                    Real4(axes[0].y, axes[1].y, axes[2].y, origin.y),  //
                    Real4(axes[0].z, axes[1].z, axes[2].z, origin.z));
}

// The 3x3 part: its columns are the frame's axes.
PELT_LANES_FN Real3x3 affine_axes(RealAffine f) {
  return Real3x3(Real3(f[0].x, f[1].x, f[2].x), Real3(f[0].y, f[1].y, f[2].y), Real3(f[0].z, f[1].z, f[2].z));
}

PELT_LANES_FN Real3 affine_origin(RealAffine f) { return Real3(f[0].w, f[1].w, f[2].w); }

PELT_LANES_FN Real3 transform_point(RealAffine f, Real3 p) { return Real4(p, 1.0f) * f; }

// The frame that maps p to outer(inner(p)).
PELT_LANES_FN RealAffine affine_compose(RealAffine outer, RealAffine inner) {
  Real3x3 axes = affine_axes(outer) * affine_axes(inner);
  return affine_from_axes(axes, transform_point(outer, affine_origin(inner)));
}
