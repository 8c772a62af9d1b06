// SPDX-License-Identifier: MIT
// The tangent-plane frame of a hierarchical B-spline (Forsey 1994, "Offset Referencing"; docs/mathematics.md section
// 4): F = [e1, n x e1, n | S], e1 = S_u / |S_u|, n = (S_u x S_v) / |S_u x S_v|. Its palette entry F^D (F^R)^-1 carries
// points defined relative to the surface: control vertices of the next refinement level, or skin. Points and tangents
// are linear in the control vertices, so a record is that of a patch sample.
#ifndef PELT_SHADERS_HIERARCHICAL_BSPLINE_FRAME_POSE_H
#define PELT_SHADERS_HIERARCHICAL_BSPLINE_FRAME_POSE_H

#include "../driver/patch_frame/pose.h"

PELT_SHARED_BEGIN

// Below this area, over the square of the longer tangent, a surface is collapsed: rounding decides the plane.
PELT_SHARED_CONST float kCollapsedPlane = 1e-4f;

// The frame at a point of the surface. If the tangents span no plane, any frame along the longer one.
PELT_SHARED_FN Affine tangent_frame(PatchPoint point) {
  vec3 u = point.tangent_u;
  vec3 v = point.tangent_v;
  vec3 normal = cross(u, v);
  float longer = max(dot(u, u), dot(v, v));
  bool collapsed = dot(normal, normal) <= kCollapsedPlane * kCollapsedPlane * longer * longer;
  vec3 along = normalize_or(collapsed && dot(v, v) > dot(u, u) ? v : u, vec3(1, 0, 0));
  vec3 other = abs(along.x) < 0.6f ? vec3(1, 0, 0) : vec3(0, 1, 0);
  normal = collapsed ? normalize(cross(along, other)) : normal * (1.0f / sqrt(dot(normal, normal)));
  return affine_from_axes(mat3(along, cross(normal, along), normal), point.position);
}

// If the longer tangent is shorter than this fraction of its length at bind, the surface shrinks to a point with
// everything that it carries: when a joint is scaled to nothing, rounding would decide the frame.
PELT_SHARED_CONST float kShrunkTangent = 0.02f;

// The rest frame is divided by the length of its longer tangent.
PELT_SHARED_FN Affine pose_tangent_frame(PatchRecord record, PoseWork work) {
  PatchPoint point = patch_point(record, work);
  vec3 rest_axis = vec3(unpacked(record.rest_inverse)[0]);
  float length = 1.0f / sqrt(dot(rest_axis, rest_axis));
  float longer = sqrt(max(dot(point.tangent_u, point.tangent_u), dot(point.tangent_v, point.tangent_v)));
  float size = min(longer * (1.0f / kShrunkTangent), length);
  mat3 axes = affine_axes(tangent_frame(point)) * size;
  return affine_compose(affine_from_axes(axes, point.position), unpacked(record.rest_inverse));
}

// The frame of skin at a point of a surface over a mesh, with a different direction of u at each vertex: F = [S_u, S_v,
// sqrt(|S_u x S_v|) n | S], which stretches and shears with the surface. The tangents are orthonormal at bind, so
// heights over the surface scale with its lengths.
PELT_SHARED_FN Affine pose_mesh_frame(PatchRecord record, PoseWork work) {
  PatchPoint point = patch_point(record, work);
  vec3 normal = cross(point.tangent_u, point.tangent_v);
  float area = sqrt(dot(normal, normal));
  vec3 height = area > 0.0f ? normal * (1.0f / sqrt(area)) : vec3(0.0f);
  return affine_compose(affine_from_axes(mat3(point.tangent_u, point.tangent_v, height), point.position),
                        unpacked(record.rest_inverse));
}

PELT_SHARED_END

#endif
