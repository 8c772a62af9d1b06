// SPDX-License-Identifier: MIT
// Surface-oriented FFD, basic (Singh & Kokkevis 2000, equations 2 and 3): the palette entry of driver triangle k is
// T_k = Q_k^D (Q_k^R)^-1, with Q = [e1 e2 e3 | A], e1 = B - A, e2 = C - A, e3 = (e1 x e2) / |e1 x e2|.
// The extended variant (section 4.2) needs no pass: its entries are the frames that the driver's blend writes.
#ifndef PELT_SHADERS_SURFACE_FFD_POSE_H
#define PELT_SHADERS_SURFACE_FFD_POSE_H

#include "../pose_pass.h"
#include "pelt/shaders/frame.h"

PELT_SHARED_BEGIN

struct TriangleRecord {
  uint a;  // vertices of the corners in the instance
  uint b;
  uint c;
  PackedAffine rest_inverse;  // (Q_k^R)^-1
};
PELT_SHARED_SIZE(TriangleRecord, 60);

// Limit of the squared sine between e1 and e2: below it, rounding decides the direction of e3.
PELT_SHARED_CONST float kFlatTriangle = 1e-13f;

// [e1 e2 e3 | origin]. If e1 and e2 span no area, e3 is any unit vector perpendicular to the longer one: finite, but
// meaningless.
PELT_SHARED_FN Affine edge_frame(vec3 e1, vec3 e2, vec3 origin) {
  vec3 normal = cross(e1, e2);
  vec3 edge = dot(e1, e1) >= dot(e2, e2) ? e1 : e2;
  vec3 other = abs(edge.x) <= abs(edge.y) && abs(edge.x) <= abs(edge.z)
                   ? vec3(1, 0, 0)
                   : (abs(edge.y) <= abs(edge.z) ? vec3(0, 1, 0) : vec3(0, 0, 1));
  vec3 across = normalize_or(cross(edge, other), vec3(0, 0, 1));
  bool flat_triangle = dot(normal, normal) <= kFlatTriangle * dot(e1, e1) * dot(e2, e2);
  vec3 e3 = flat_triangle ? across : normal * (1.0f / sqrt(dot(normal, normal)));
  return affine_from_axes(mat3(e1, e2, e3), origin);
}

// As the area of a triangle or patch falls from the second to the first part of that at bind, heights over it vanish:
// rounding would decide their direction as a joint is scaled to nothing.
PELT_SHARED_CONST vec2 kShrunkElement = vec2(1e-5f, 9e-5f);

// Returns Q^D (Q^R)^-1.
PELT_SHARED_FN Affine edge_motion(vec3 e1, vec3 e2, vec3 origin, Affine rest_inverse) {
  mat3 axes = affine_axes(edge_frame(e1, e2, origin));
  mat3 rest = affine_axes(rest_inverse);  // its determinant: one over the area
  float area = length(cross(e1, e2)) * abs(dot(rest[0], cross(rest[1], rest[2])));
  axes[2] *= smoothstep(kShrunkElement.x, kShrunkElement.y, area);
  return affine_compose(affine_from_axes(axes, origin), rest_inverse);
}

PELT_SHARED_FN Affine pose_triangle(TriangleRecord record, PoseWork work) {
  vec3 a = posed_vertex(work, record.a);
  vec3 b = posed_vertex(work, record.b);
  vec3 c = posed_vertex(work, record.c);
  return edge_motion(b - a, c - a, a, unpacked(record.rest_inverse));
}

PELT_SHARED_END

#endif
