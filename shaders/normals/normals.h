// SPDX-License-Identifier: MIT
// Normals computed from the posed triangles, for skins whose blended frames do not follow the slope of the surface: a
// fit or a cut that drops influences, or weights without gradients. At a vertex with triangles (i, b, c)
//     n' = normalize(sum over the triangles of (p_b - p_i) x (p_c - p_i)),        t' = t made orthogonal to n',
// p: posed positions, t: the blended tangent, which keeps its handedness. The length of each cross product is twice a
// triangle's area, so the mean of the facet normals is weighted by area (Gouraud 1971, "Continuous Shading of Curved
// Surfaces", takes the plain mean; Max 1999, "Weights for Computing Vertex Normals from Facet Normals", compares
// weights). Max's own weights, the area over |p_b - p_i|^2 |p_c - p_i|^2, are closer to smooth surfaces on uneven
// meshes, but grow without bound as an edge shortens. Here a triangle without area has no weight, and nothing is
// divided.
//
// The triangles round a vertex are a ring (pelt/normal_rings.h): words that each refer to a vertex of the mesh. A fan
// of n triangles is the n + 1 vertices round their apex, in order. Vertices that a UV seam splits share one ring, which
// lists the apex of each fan, so they get the same normal, bit for bit.
#ifndef PELT_SHADERS_NORMALS_NORMALS_H
#define PELT_SHADERS_NORMALS_NORMALS_H

#include "../blend/blend.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kNormalsWorkgroupSize = 128u;  // vertices of one instance

PELT_SHARED_CONST uint kNormalsBindRings = 1u;      // uint[]: per mesh the start of the ring of each vertex, counted
                                                    // from the mesh's first word, or kNoIndex; then the rings
PELT_SHARED_CONST uint kNormalsBindPositions = 2u;  // words of the outputs
PELT_SHARED_CONST uint kNormalsBindNormals = 3u;    // read and written
PELT_SHARED_CONST uint kNormalsBindTangents = 4u;
PELT_SHARED_CONST uint kNormalsBindCount = 5u;

// One mesh of one character, for the instances of a list.
struct NormalsJob {
  uint vertex_count;
  uint by_blocks;     // reciprocal_of() its workgroups per instance
  uint first_word;    // first word of the mesh in the rings
  uint output_first;  // vertex 0, relative to the instance's first in the outputs
};
PELT_SHARED_SIZE(NormalsJob, 16);

struct NormalsConstants {
  JobRange range;
  VertexStream positions;
  VertexStream normals;
  VertexStream tangents;
};
PELT_SHARED_SIZE(NormalsConstants, 36);

// A word of a ring: flags, and a vertex of the mesh below them.
PELT_SHARED_CONST uint kRingLast = 0x80000000u;  // the last word of the ring
PELT_SHARED_CONST uint kRingFan = 0x40000000u;   // the first word of a fan
PELT_SHARED_CONST uint kRingApex = 0x20000000u;  // the apex of the fans that follow; initially the vertex itself
PELT_SHARED_CONST uint kRingVertex = 0x1FFFFFFFu;

// Limit of |sum|^2 over the squared sum of |p_b - p_i|^2: below it the triangles' area is mere rounding.
PELT_SHARED_CONST float kMinRingNormal = 1e-12f;

struct RingSum {
  vec3 normal;  // the sum
  vec3 apex;    // p_i
  vec3 edge;    // from the apex to the previous vertex
  float size;   // sum of squared edge lengths
};

PELT_SHARED_FN RingSum ring_begin(vec3 position) { return RingSum(vec3(0.0f), position, vec3(0.0f), 0.0f); }

// Adds the next word and its vertex's position.
PELT_SHARED_FN RingSum ring_add(RingSum sum, uint word, vec3 position) {
  if ((word & kRingApex) != 0u) {
    sum.apex = position;
    return sum;
  }
  vec3 edge = position - sum.apex;
  if ((word & kRingFan) == 0u) sum.normal += cross(sum.edge, edge);
  sum.edge = edge;
  sum.size += dot(edge, edge);
  return sum;
}

// False if the sum is too small or has overflowed; the blended normal is then kept.
PELT_SHARED_FN bool ring_has_normal(RingSum sum) {
  float squared = dot(sum.normal, sum.normal);
  return squared > kMinRingNormal * sum.size * sum.size && squared < 1e37f;
}

// The ring's normal; on the other side if the blended normal is, since the pose mirrors the surface. In creases both
// differ, but less.
PELT_SHARED_FN vec3 ring_normal(RingSum sum, vec3 blended) {
  vec3 normal = normalize(sum.normal);
  return dot(normal, blended) < -0.7f ? -normal : normal;
}

// The blended tangent made orthogonal to the normal; if it is parallel to the normal, any direction across it.
PELT_SHARED_FN vec4 ring_tangent(vec4 blended, vec3 normal) {
  vec3 tangent = vec3(blended.x, blended.y, blended.z);
  tangent = tangent - normal * dot(normal, tangent);
  vec3 other = abs(normal.x) < 0.6f ? vec3(1, 0, 0) : vec3(0, 1, 0);
  return vec4(dot(tangent, tangent) > 1e-6f ? normalize(tangent) : normalize(cross(normal, other)), blended.w);
}

PELT_SHARED_END

#endif
