// SPDX-License-Identifier: MIT
// The frame of a driver vertex without a skinning function, estimated from the positions of its neighbours
// (docs/mathematics.md section 1, for Singh & Kokkevis 2000, section 4.2): T_j = [A | v' - A v], with A the
// least-squares fit of
//     A e_i = e_i'  for the edges e_i from v to its neighbours,  and  A (L n) = L s n',
// n the area-weighted normal of the triangles round v, L the rms length of the e_i, s the square root of the ratio of
// their areas. With M = sum e_i e_i^T + L^2 n n^T:
//     A = sum e_i' (M^-1 e_i)^T + s n' (L^2 M^-1 n)^T.
// Exact for similarities; along the normal, other affine motions are approximated by a similarity.
#ifndef PELT_SHADERS_VERTEX_FRAME_POSE_H
#define PELT_SHADERS_VERTEX_FRAME_POSE_H

#include "../../pose_pass.h"
#include "pelt/shaders/frame.h"

PELT_SHARED_BEGIN

// The table holds, from first_word on: per edge the neighbour (a vertex of the instance) and M^-1 e_i; then per
// triangle its two other corners, in its orientation.
PELT_SHARED_CONST uint kVertexFrameEdgeWords = 4u;
PELT_SHARED_CONST uint kVertexFrameTriangleWords = 2u;

// Limit of the length of the triangles' summed areas, as vectors, over their sum as numbers.
PELT_SHARED_CONST float kFoldedFan = 0.02f;

struct VertexFrameRecord {
  uint vertex;  // vertex of the instance
  uint first_word;
  uint edge_count;
  uint triangle_count;
  PackedVec3 rest;         // v
  PackedVec3 normal_term;  // L^2 M^-1 n
  float rest_area;         // twice the area of the triangles; > 0
};
PELT_SHARED_SIZE(VertexFrameRecord, 44);

PELT_SHARED_FN Affine pose_vertex_frame(VertexFrameRecord record, PoseWork work) {
  vec3 origin = posed_vertex(work, record.vertex);
  mat3 axes = mat3(0.0f);
  // Largest coordinate of the edges, the unit for triangles, so that no square overflows
  float largest = 0.0f;
  uint word = record.first_word;
  for (uint i = 0u; i < record.edge_count; ++i) {
    vec3 edge = posed_vertex(work, table_word(work, word)) - origin;
    vec3 term = vec3(table_float(work, word + 1u), table_float(work, word + 2u), table_float(work, word + 3u));
    axes += outerProduct(edge, term);
    largest = max(largest, max(max(abs(edge.x), abs(edge.y)), abs(edge.z)));
    word += kVertexFrameEdgeWords;
  }
  float inverse = largest > 1e-30f ? 1.0f / largest : 0.0f;
  vec3 normal = vec3(0.0f);
  float area = 0.0f;
  for (uint i = 0u; i < record.triangle_count; ++i) {
    vec3 b = posed_vertex(work, table_word(work, word)) - origin;
    vec3 c = posed_vertex(work, table_word(work, word + 1u)) - origin;
    vec3 doubled = cross(b * inverse, c * inverse);
    normal += doubled;
    area += length(doubled);
    word += kVertexFrameTriangleWords;
  }
  // If the triangles fold onto each other, as on a flat joint, rounding decides their normal: heights vanish.
  float scale =
      sqrt(area / record.rest_area) * largest * smoothstep(0.0f, kFoldedFan, length(normal) / max(area, 1e-30f));
  axes += outerProduct(normalize_or(normal, vec3(0.0f)) * scale, unpacked(record.normal_term));
  return affine_from_axes(axes, origin - axes * unpacked(record.rest));
}

PELT_SHARED_END

#endif
