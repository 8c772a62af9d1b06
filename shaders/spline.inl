// SPDX-License-Identifier: MIT
// The basis of a B-spline, and rotations about its tangent (spline.h).

// The weights of the four control points of a span at u in [0, 1].
PELT_LANES_FN Real4 spline_basis(Real u) {
  Real v = 1.0f - u;
  return Real4(v * v * v, (3.0f * u - 6.0f) * u * u + 4.0f, (3.0f * v - 6.0f) * v * v + 4.0f, u * u * u) *
         (1.0f / 6.0f);
}

// Turns `axis` about the unit vector x, to which it is perpendicular.
PELT_LANES_FN Real3 turned_about(Real3 x, Real3 axis, Real angle) {
  return axis * cos_of(angle) + cross(x, axis) * sin_of(angle);
}
