// SPDX-License-Identifier: MIT
// Tension: how much longer or shorter the posed skin is along its tangent and bitangent than at rest, for wrinkle maps
// (docs/mathematics.md section 0.3). From the triangles T round a vertex, so that it fits every deformer:
//     s^2 = sum of a_T |F_T d_T|^2 / sum of a_T |d_T|^2
// d_T: the rest tangent, or bitangent, projected onto T at rest; F_T maps T at rest to T posed; a_T: its rest area. The
// least-squares fit of one squared length per unit of direction to the triangles. A fold between two triangles changes
// no length, and so no tension.
#ifndef PELT_SHADERS_TENSION_TENSION_H
#define PELT_SHADERS_TENSION_TENSION_H

#include "../blend/blend.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kTensionWorkgroupSize = 64u;  // vertices

PELT_SHARED_CONST uint kTensionBindRest = 1u;  // vec3[] rest positions, uvec2[] packed directions, uint[] rings
PELT_SHARED_CONST uint kTensionBindPositions = 2u;
PELT_SHARED_CONST uint kTensionBindOutput = 3u;
PELT_SHARED_CONST uint kTensionBindCount = 4u;

// The ring of a vertex (engine/character/rows/tension_rings.h) lists fans of triangles: the centre of a fan, a vertex
// with this flag, then its rim. The centre and each two neighbours of the rim are a triangle.
PELT_SHARED_CONST uint kRingCentre = 0x80000000u;

// One mesh of one character, for the instances of a list, in tiles. The first_... indices of bind data count from the
// start of the binding, in units of its elements.
struct TensionJob {
  uint vertex_count;
  uint by_blocks;  // reciprocal_of() its workgroups per instance
  uint first_point;
  uint first_direction;
  uint first_slice;  // slice values are relative to first_ring
  uint first_ring;
  uint output_first;  // vertex 0, relative to the instance's first in the outputs
};
PELT_SHARED_SIZE(TensionJob, 28);

struct TensionConstants {
  JobRange range;
  VertexStream positions;
  VertexStream tension;
};
PELT_SHARED_SIZE(TensionConstants, 28);

struct TensionSum {
  vec3 tangent;
  vec3 bitangent;
  vec2 posed;  // sums of squared lengths along the tangent (x) and the bitangent (y)
  vec2 rest;
  // The centre of the fan, and the edge from there to the last vertex of the rim.
  vec3 rest_centre;
  vec3 posed_centre;
  vec3 rest_edge;
  vec3 posed_edge;
};

PELT_SHARED_FN TensionSum tension_begin(uvec2 directions) {
  vec4 tangent = unpack_tangent(directions.y);
  TensionSum sum;
  sum.tangent = vec3(tangent.x, tangent.y, tangent.z);
  sum.bitangent = cross(unpack_normal(directions.x), sum.tangent);
  sum.posed = vec2(0.0f);
  sum.rest = vec2(0.0f);
  sum.rest_centre = vec3(0.0f);
  sum.posed_centre = vec3(0.0f);
  sum.rest_edge = vec3(0.0f);
  sum.posed_edge = vec3(0.0f);
  return sum;
}

// Adds a triangle, if it has an area, by two edges from one corner, `r` at rest and `e` posed. The projection of d onto
// the triangle is x r_1 + y r_2, with (x, y) = (d.(r_2 x n), d.(n x r_1)) / n^2 and n = r_1 x r_2, so that F d = x e_1
// + y e_2.
PELT_SHARED_FN TensionSum tension_add(TensionSum sum, vec3 r_1, vec3 r_2, vec3 e_1, vec3 e_2) {
  vec3 n = cross(r_1, r_2);
  float squared = dot(n, n);
  if (!(squared > 1e-34f)) return sum;
  vec3 by_1 = cross(r_2, n) * (1.0f / squared);
  vec3 by_2 = cross(n, r_1) * (1.0f / squared);
  vec2 x = vec2(dot(by_1, sum.tangent), dot(by_1, sum.bitangent));
  vec2 y = vec2(dot(by_2, sum.tangent), dot(by_2, sum.bitangent));
  vec3 posed_tangent = x.x * e_1 + y.x * e_2;
  vec3 posed_bitangent = x.y * e_1 + y.y * e_2;
  vec3 rest_tangent = x.x * r_1 + y.x * r_2;
  vec3 rest_bitangent = x.y * r_1 + y.y * r_2;
  float area = sqrt(squared);
  sum.posed += area * vec2(dot(posed_tangent, posed_tangent), dot(posed_bitangent, posed_bitangent));
  sum.rest += area * vec2(dot(rest_tangent, rest_tangent), dot(rest_bitangent, rest_bitangent));
  return sum;
}

// Goes on to the next vertex of the ring. The edges of a centre are 0, so the first vertex of a rim adds no triangle.
PELT_SHARED_FN TensionSum tension_step(TensionSum sum, uint word, vec3 rest, vec3 posed) {
  if ((word & kRingCentre) != 0u) {
    sum.rest_centre = rest;
    sum.posed_centre = posed;
  }
  vec3 rest_edge = rest - sum.rest_centre;
  vec3 posed_edge = posed - sum.posed_centre;
  sum = tension_add(sum, sum.rest_edge, rest_edge, sum.posed_edge, posed_edge);
  sum.rest_edge = rest_edge;
  sum.posed_edge = posed_edge;
  return sum;
}

// 127 log2 s, rounded and clamped: 127 is twice the length, -127 half of it.
PELT_SHARED_FN int tension_steps(float posed, float rest) {
  if (!(rest > 0.0f)) return 0;
  float squared = posed / rest;
  return int(floor(63.5f * log2_of(squared > 0.25f ? min(squared, 4.0f) : 0.25f) + 0.5f));
}

// Packs both as snorm8 x 2, the tangent's in the lowest byte; the other bytes are 0.
PELT_SHARED_FN uint tension_word(TensionSum sum) {
  return (uint(tension_steps(sum.posed.x, sum.rest.x)) & 0xFFu) | (uint(tension_steps(sum.posed.y, sum.rest.y)) & 0xFFu)
                                                                      << 8u;
}

PELT_SHARED_END

#endif
