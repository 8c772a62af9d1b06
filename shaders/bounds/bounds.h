// SPDX-License-Identifier: MIT
// A box round an instance's skin, found only from its palette, before the skin is moved: the box of its records' boxes.
//
// Linear blend: v' = sum w_j T_j p, and the weights of a vertex sum to 1. If no weight is negative, v' is in the convex
// hull of the points T_j p. A record has the box of the rest positions that an entry moves, or of the local points of
// groups that have their own (blend/blend.h); moved by the entry, it contains the entry's part of the hull for any
// weights.
//
// Other skins are split into groups of vertices that lie close together, so that the images of a group under its
// entries are close together, too. A record has the box of a group, and the entries that move its vertices.
//
// Local points with negative shares: v' = a + n (a - b), with a and b in the hull and n the sum of the magnitudes of
// the negative shares. So the box of the group's images grows by n times its sides.
//
// Dual quaternions: v' is p' moved by the blend b = sum w_j q_j, with p' = sum w_j S_j p within the hull of the S_j p,
// and q_j = r_j + e d_j of unit length and on one side. Let c_ij = r_i . r_j, T_i p' the image of p' under q_i, and
// T_ij p' that under q_i + q_j, half of the way by a screw motion. Then
//     v' = ( sum_i w_i^2 T_i p' + sum_i<j 2 w_i w_j c_ij P_ij ) / |b|^2,     |b|^2 = the sum of these weights,
//     P_ij = (T_i + T_j) p' / 2 + (1 + c_ij) / c_ij s_ij,     s_ij = T_ij p' - (T_i + T_j) p' / 2:
// P_ij is the intersection of the tangents of the arc from T_i p' to T_j p'. If all c_ij > 0, no weight is negative,
// and v' is in the hull of the T_i p' and P_ij. If c_ij is small, P_ij is far away and has little weight; then take the
// middle of T_i p' and T_j p', which is in the hull, and add the rest: s_ij times 2 w_i w_j (1 + c_ij) / |b|^2. That
// factor is at most 1, since |b|^2 >= w_i^2 + w_j^2 + 2 w_i w_j c_ij. Its sum over all pairs of n entries with c_ij <=
// 1 / (n - 1) is at most n, since |b|^2 >= sum w_i^2 >= 1 / n. So those pairs are added in this way.
// If three motions have no common side, the sides at a vertex depend on its pivot p, the entry with its largest weight,
// w_p >= 1 / n, and motions may nearly cancel. Relative to T_p, |b| is at least w_p, so a point c is moved by at most
// |sum w_j (T_j c - T_p c)| / w_p: n - 1 times the greatest distance between two images of c.
#ifndef PELT_SHADERS_BOUNDS_BOUNDS_H
#define PELT_SHADERS_BOUNDS_BOUNDS_H

#include "../dual_quaternion/dual_quaternion.h"
#include "../jobs.h"
#include "pelt/shaders/frame.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kBoundsWorkgroupSize = 64u;  // one instance

PELT_SHARED_CONST uint kBoundsBindRecords = 1u;  // BoundsRecord[]; each character's records, then its entries as words
PELT_SHARED_CONST uint kBoundsBindPalette = 2u;  // Affine[]
PELT_SHARED_CONST uint kBoundsBindBoxes = 3u;    // float[]: least, then greatest corner per instance, written
PELT_SHARED_CONST uint kBoundsBindCount = 4u;

PELT_SHARED_CONST uint kBoundsEntry = 0u;  // a palette entry and the points that it moves
// A group that dual quaternions move. Two words per entry: the index of a dual quaternion, which its stretch follows,
// and a bit mask of the earlier entries with which it shares a vertex: bit k is entry k, of the first
// kBoundsDualEntries. Only a group of one vertex may have more entries.
PELT_SHARED_CONST uint kBoundsDual = 1u;
PELT_SHARED_CONST uint kBoundsDualWords = 2u;
PELT_SHARED_CONST uint kBoundsDualEntries = 32u;
// A group with negative shares. Per entry an index, then middle and reach of the box of the local points that it moves,
// x y z each.
PELT_SHARED_CONST uint kBoundsShares = 2u;
PELT_SHARED_CONST uint kBoundsSharesWords = 7u;

// Specialization constants: one bit per kind of record in a dispatch, 1 << kind. Unused kinds cost no registers.
PELT_SHARED_CONST uint kBoundsSpecContents = 0u;
PELT_SHARED_CONST uint kBoundsSpecCount = 1u;

struct BoundsRecord {
  uint kind;          // kBounds...
  PackedVec3 middle;  // of the box of rest positions or local points, metres
  PackedVec3 reach;   // half of its sides
  uint first_entry;   // palette entry of the character; for groups, of index 0 of their entries
  uint first_word;    // groups: first word of the entries, relative to the character's first record
  uint entry_count;   // groups only
  uint row_entries;   // groups: the largest number of entries that move a vertex
  float negative;     // groups: n, the largest sum of the magnitudes of a vertex's negative shares
  // Morph targets of the mesh: first palette entry and number of entries of their weights (0: no targets), and the
  // farthest that they move one of the vertices if no weight exceeds 1, metres.
  uint morph_entry;
  uint morph_entries;
  float morph_reach;
};
PELT_SHARED_SIZE(BoundsRecord, 60);

PELT_SHARED_CONST uint kBoundsRecordWords = 15u;

struct BoundsJob {
  uint first_record;
  uint record_count;          // of the deformers' entries
  uint painted_record_count;  // of painted weights' entries, which follow
};
PELT_SHARED_SIZE(BoundsJob, 12);

struct BoundsConstants {
  JobRange range;
  uint first_word;  // of box 0
  uint stride;      // from one box to the next
};
PELT_SHARED_SIZE(BoundsConstants, 20);

struct Box {
  vec3 least;
  vec3 greatest;
};

PELT_SHARED_FN Box box_begin() { return Box(vec3(3e38f), vec3(-3e38f)); }

PELT_SHARED_FN Box box_of_both(Box a, Box b) { return Box(min(a.least, b.least), max(a.greatest, b.greatest)); }

PELT_SHARED_FN Box box_with(Box box, vec3 middle, vec3 reach) {
  return box_of_both(box, Box(middle - reach, middle + reach));
}

PELT_SHARED_FN Box box_grown(Box box, vec3 by) { return Box(box.least - by, box.greatest + by); }

// The box, grown by the possible rounding error of vertices and of the box: a few ULP of the farthest coordinate.
PELT_SHARED_FN Box box_with_rounding(Box box) {
  vec3 farthest = max(abs(box.least), abs(box.greatest));
  return box_grown(box, vec3(1e-6f * max(max(farthest.x, farthest.y), farthest.z)));
}

// Half of the sides of the box round the image of a box of half sides `reach` under the 3x3 part of `frame`.
PELT_SHARED_FN vec3 mapped_reach(Affine frame, vec3 reach) {
  vec4 half_sides = vec4(reach, 0.0f);
  return vec3(dot(abs(frame[0]), half_sides), dot(abs(frame[1]), half_sides), dot(abs(frame[2]), half_sides));
}

// The union of `box` and the box round the image of middle +- reach under `frame`.
PELT_SHARED_FN Box box_with_mapped(Box box, Affine frame, vec3 middle, vec3 reach) {
  return box_with(box, transform_point(frame, middle), mapped_reach(frame, reach));
}

// Motions whose rotations have a smaller cosine are half a turn apart, within rounding.
PELT_SHARED_CONST float kNearlyHalfATurn = 1e-5f;

// The contribution of pairs of a group's dual quaternions to the box of their images.
struct DualPairs {
  Box box;
  // The union, and the sum, of the boxes round 0 and the steps s_ij of pairs that are far apart.
  Box step;
  Box steps;
};

PELT_SHARED_FN Box box_at_origin() { return Box(vec3(0.0f), vec3(0.0f)); }

PELT_SHARED_FN DualPairs dual_pairs_begin() { return DualPairs(box_begin(), box_at_origin(), box_at_origin()); }

// Adds a pair of motions on one side. `count`: n.
PELT_SHARED_FN DualPairs dual_pairs_add(DualPairs pairs, DualQuaternion a, DualQuaternion b, uint count, vec3 middle,
                                        vec3 reach) {
  float cosine = dot(a.real, b.real);
  Affine between = (rigid_from_dual_quaternion(a, a) + rigid_from_dual_quaternion(b, b)) * 0.5f;
  Affine step = rigid_from_dual_quaternion(dual_quaternion_add(a, b, 1.0f), a) - between;
  if (cosine * float(count - 1u) > 1.0f) {
    pairs.box = box_with_mapped(pairs.box, between + step * ((1.0f + cosine) / cosine), middle, reach);
    return pairs;
  }
  Box mapped = box_with_mapped(box_at_origin(), step, middle, reach);
  pairs.step = box_of_both(pairs.step, mapped);
  pairs.steps = Box(pairs.steps.least + mapped.least, pairs.steps.greatest + mapped.greatest);
  return pairs;
}

// The box of a group with at most `count` entries per vertex.
PELT_SHARED_FN Box dual_pairs_box(DualPairs pairs, uint count) {
  return Box(pairs.box.least + max(pairs.steps.least, pairs.step.least * float(count)),
             pairs.box.greatest + min(pairs.steps.greatest, pairs.step.greatest * float(count)));
}

// True if, for three motions with these cosines, no choice of sides makes all pairs less than a turn apart, or only
// nearly so.
PELT_SHARED_FN bool sides_disagree(float ab, float bc, float ca) {
  return !exceeds(ab * bc * ca, 0.0f) || min(min(abs(ab), abs(bc)), abs(ca)) < kNearlyHalfATurn;
}

PELT_SHARED_END

#endif
