// SPDX-License-Identifier: MIT
// Anchors: points of skins that move with the vertices of their triangles. Each gives a position and an orthonormal
// frame (docs/queries.md, Anchors), which anchor.comp shares with the CPU.
#ifndef PELT_SHADERS_ANCHOR_ANCHOR_H
#define PELT_SHADERS_ANCHOR_ANCHOR_H

#include "../blend/blend.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kAnchorWorkgroupSize = 32u;  // anchors that a workgroup moves

// Bindings 0 to 2 are those of the blend; its binding of rest data also has the SkinAnchorRecord[].
PELT_SHARED_CONST uint kAnchorBindFrames = 3u;  // float[], written
PELT_SHARED_CONST uint kAnchorBindCount = 4u;

PELT_SHARED_CONST uint kAnchorSpecContents = 0u;  // kHas... flags of blend.h
PELT_SHARED_CONST uint kAnchorSpecCount = 1u;

// The share of the first vertex is the rest of 1. A vertex has all three alike.
struct SkinAnchorRecord {
  uint first;
  uint second;
  uint third;
  float second_share;
  float third_share;
};
PELT_SHARED_SIZE(SkinAnchorRecord, 20);

// Anchors of one character that follow each other on one skin.
struct AnchorJob {
  BlendJob skin;      // all of it, at level of detail 0
  uint first_record;  // of the first anchor, in the binding of rest data
  uint anchor_count;
  uint first_anchor;  // relative to the instance's first in the output
};
PELT_SHARED_SIZE(AnchorJob, 124);

struct AnchorConstants {
  JobRange range;
  VertexStream frames;
};
PELT_SHARED_SIZE(AnchorConstants, 20);

struct AnchorVertex {
  vec3 position;
  vec3 normal;   // unit
  vec3 tangent;  // unit
};

// Returns the rotation with the columns tangent, bitangent and normal, and the position as its origin: the corners' mix
//     p = s_a a + s_b b + s_c c,    n = normalize(s_a n_a + s_b n_b + s_c n_c),    t along b - a, made orthogonal to n.
PELT_SHARED_FN Affine anchor_frame(SkinAnchorRecord anchor, AnchorVertex a, AnchorVertex b, AnchorVertex c) {
  float share = 1.0f - anchor.second_share - anchor.third_share;
  vec3 mixed = share * a.normal + anchor.second_share * b.normal + anchor.third_share * c.normal;
  vec3 normal = normalize_or(mixed, a.normal);
  // Relative to a corner, so that rounding is that of the triangle's size far from the origin.
  vec3 edge = b.position - a.position;
  vec3 position = a.position + anchor.second_share * edge + anchor.third_share * (c.position - a.position);
  vec3 tangent = turned_tangent(mat3(1.0f), normalize_or(edge, a.tangent), normal);
  return affine_from_axes(mat3(tangent, cross(normal, tangent), normal), position);
}

PELT_SHARED_END

#endif
