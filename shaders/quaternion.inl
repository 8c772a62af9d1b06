// SPDX-License-Identifier: MIT
// Products of quaternions and their rotations (quaternion.h).

PELT_LANES_FN Real3 quaternion_vector(Real4 q) { return Real3(q.x, q.y, q.z); }

PELT_LANES_FN Real4 quaternion_product(Real4 a, Real4 b) {
  Real3 u = quaternion_vector(a);
  Real3 v = quaternion_vector(b);
  return Real4(v * a.w + u * b.w + cross(u, v), a.w * b.w - dot(u, v));
}

PELT_LANES_FN Real3x3 rotation_from_quaternion(Real4 q) {
  Real3 v = quaternion_vector(q);
  Real3 twice = v + v;
  Real xx = v.x * twice.x, yy = v.y * twice.y, zz = v.z * twice.z;
  Real xy = v.x * twice.y, xz = v.x * twice.z, yz = v.y * twice.z;
  Real3 w = twice * q.w;
  return Real3x3(Real3(1.0f - yy - zz, xy + w.z, xz - w.y), Real3(xy - w.z, 1.0f - xx - zz, yz + w.x),
                 Real3(xz + w.y, yz - w.x, 1.0f - xx - yy));
}
