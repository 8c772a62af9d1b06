// SPDX-License-Identifier: MIT
// One vertex follows another (Forsey 1994, section 4): x is the other's displacement along an axis, relative to the
// root joint; the vertex is shifted by offsets that are linear between keys over x and constant beyond.
#ifndef PELT_SHADERS_HIERARCHICAL_BSPLINE_FOLLOW_POSE_H
#define PELT_SHADERS_HIERARCHICAL_BSPLINE_FOLLOW_POSE_H

#include "../table.h"
#include "pelt/shaders/frame.h"

PELT_SHARED_BEGIN

// Layout of the table: for each key x, then the offset x, y, z in model space at bind. x ascends.
PELT_SHARED_CONST uint kFollowKeyWords = 4u;

struct FollowRecord {
  uint vertex;    // of the instance, before it is shifted
  uint entry;     // palette entry whose axes turn the offsets
  uint followed;  // of the instance
  uint root;      // palette entry of the root joint's motion
  uint first_word;
  uint key_count;            // at least 1
  PackedVec3 rest;           // the vertex at bind
  PackedVec3 followed_rest;  // the other at bind
  PackedVec3 axis;           // unit, model space at bind
};
PELT_SHARED_SIZE(FollowRecord, 60);

PELT_SHARED_FN float follow_parameter(FollowRecord record, PoseWork work) {
  Affine root = palette_entry(work, record.root);
  vec3 moved = posed_vertex(work, record.followed) - transform_point(root, unpacked(record.followed_rest));
  return dot(moved, normalize_or(transform_vector(root, unpacked(record.axis)), unpacked(record.axis)));
}

PELT_SHARED_FN vec3 follow_offset(FollowRecord record, float x, PoseWork work) {
  uint word = record.first_word;
  vec3 before = table_vector(work, word + 1u);
  if (x <= table_float(work, word)) return before;
  for (uint key = 1u; key < record.key_count; ++key) {
    uint next = word + kFollowKeyWords;
    float from = table_float(work, word);
    float to = table_float(work, next);
    vec3 after = table_vector(work, next + 1u);
    if (x < to) return before + (after - before) * ((x - from) / (to - from));
    before = after;
    word = next;
  }
  return before;
}

PELT_SHARED_FN Affine pose_follow(FollowRecord record, PoseWork work) {
  vec3 offset = follow_offset(record, follow_parameter(record, work), work);
  vec3 point = posed_vertex(work, record.vertex) + transform_vector(palette_entry(work, record.entry), offset);
  return affine_from_axes(mat3(1.0f), point - unpacked(record.rest));
}

PELT_SHARED_END

#endif
