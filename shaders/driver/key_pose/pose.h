// SPDX-License-Identifier: MIT
// Key poses (docs/mathematics.md section 1): offsets of driver vertices, in the frame of their limb, keyed on joint
// angles. The palette entry of a vertex is [R | o]: o is the sum over keys of w_key * offset, and R is the rotation by
// the sum of w_key * tilt. The blend adds o to the rest position, so that the limb carries it, and first turns the
// frame about the vertex by R: the space round the vertex tilts with the surface, like the axis points of section 4.2
// of the paper.
#ifndef PELT_SHADERS_KEY_POSE_POSE_H
#define PELT_SHADERS_KEY_POSE_POSE_H

#include "../../pose_pass.h"
#include "../../table.h"
#include "pelt/shaders/frame.h"

PELT_SHARED_BEGIN

// Layout of the table:
//   entry    index of the key's weight among the palette's floats (key_weights/pose.h), or kKeyConstant: weight 1;
//            offset x, y, z, tilt x, y, z: the axis of a rotation; its length is the tangent of the angle
PELT_SHARED_CONST uint kKeyEntryWords = 7u;
PELT_SHARED_CONST uint kKeyConstant = 0xFFFFFFFFu;

struct KeyPoseRecord {
  uint first_word;
  uint entry_count;
};
PELT_SHARED_SIZE(KeyPoseRecord, 8);

// The rotation about `tilt` by the angle whose tangent is the length of `tilt`.
PELT_SHARED_FN mat3 tilt_rotation(vec3 tilt) {
  tilt = clamp(tilt, vec3(-1e6f), vec3(1e6f));
  float c = 1.0f / sqrt(1.0f + dot(tilt, tilt));
  mat3 across = mat3(vec3(0, tilt.z, -tilt.y), vec3(-tilt.z, 0, tilt.x), vec3(tilt.y, -tilt.x, 0));
  return mat3(c) + across * c + outerProduct(tilt, tilt) * (c * c / (1.0f + c));
}

PELT_SHARED_FN Affine pose_key_offset(KeyPoseRecord record, PoseWork work) {
  vec3 offset = vec3(0.0f);
  vec3 tilt = vec3(0.0f);
  for (uint i = 0u; i < record.entry_count; ++i) {
    uint word = record.first_word + i * kKeyEntryWords;
    uint place = table_word(work, word);
    float weight = place == kKeyConstant ? 1.0f : palette_float(work, place);
    offset += weight * table_vector(work, word + 1u);
    tilt += weight * table_vector(work, word + 4u);
  }
  return affine_from_axes(tilt_rotation(tilt), offset);
}

PELT_SHARED_END

#endif
