// SPDX-License-Identifier: MIT
// The tangent-plane frame of a hierarchical B-spline (Forsey 1994, "Offset Referencing"; docs/mathematics.md section
// 4): F = [e1, n x e1, n | S], e1 = S_u / |S_u|, n = (S_u x S_v) / |S_u x S_v|. Its palette entry F^D (F^R)^-1 carries
// what is given relative to the surface: a control vertex of the next level, or skin. Points and tangents are linear
// in the control vertices, so that a record is a patch sample's.
#ifndef PELT_SHADERS_HIERARCHICAL_BSPLINE_FRAME_POSE_H
#define PELT_SHADERS_HIERARCHICAL_BSPLINE_FRAME_POSE_H

#include "../driver/patch_frame/pose.h"

PELT_SHARED_BEGIN

// The frame at a point of the surface. Where the tangents span no plane it is any frame along S_u.
PELT_SHARED_FN Affine tangent_frame(PatchPoint point) {
  vec3 along = normalize_or(point.tangent_u, normalize_or(point.tangent_v, vec3(1, 0, 0)));
  vec3 normal = affine_axes(edge_frame(point.tangent_u, point.tangent_v, point.position))[2];
  return affine_from_axes(mat3(along, cross(normal, along), normal), point.position);
}

PELT_SHARED_FN Affine pose_tangent_frame(PatchRecord record, PoseWork work) {
  return affine_compose(tangent_frame(patch_point(record, work)), record.rest_inverse);
}

PELT_SHARED_END

#endif
