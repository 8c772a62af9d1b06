// SPDX-License-Identifier: MIT
// Key poses (docs/mathematics.md section 1): offsets of driver vertices, in the frame of their limb, keyed on joint
// angles. The palette entry of a vertex is [R | o]: o is the sum over keys of w_key * offset, and R is the turn given
// by the sum of w_key * tilt. The blend adds o to the rest position, so that the limb carries it, and first turns the
// frame about the vertex by R: the space round the vertex tilts with the surface, as the axis points of section 4.2 of
// the paper do.
//
// A key's weight w is one of
//     control:  an input of the instance (a morph target's weight), minus its value at rest;
//     constant: 1;
//     linear:   the hat function of one angle: 1 at the key's own angle, 0 at the neighbouring keys;
//     rbf:      sum over centres c of a_c exp(-|x - x_c|^2 / width_c^2), x the angles; the a_c make it 1 at its own
//               key, 0 at all others and at rest.
#ifndef PELT_SHADERS_KEY_POSE_POSE_H
#define PELT_SHADERS_KEY_POSE_POSE_H

#include "../../pose_pass.h"
#include "../../swing_twist.h"
#include "../../table.h"

PELT_SHARED_BEGIN

// Layout of the table:
//   entry    key (word), offset x, y, z, tilt x, y, z: the axis of a turn; its length is the tangent of the angle
//   key      kind, then
//     control: input, its value at rest
//     linear:  angle (word), previous, own, next key in radians
//     constant: nothing
//     rbf:     angle count, centre count, first angle (word), first centre (word), a_c ...
//   angle    of a joint: shaders/swing_twist.h
//   centre   one number an angle, radians, then 1 / width^2
PELT_SHARED_CONST uint kKeyEntryWords = 7u;
PELT_SHARED_CONST uint kKeyControl = 0u;
PELT_SHARED_CONST uint kKeyLinear = 1u;
PELT_SHARED_CONST uint kKeyRbf = 2u;
PELT_SHARED_CONST uint kKeyConstant = 3u;
PELT_SHARED_CONST uint kKeyRbfHeader = 5u;  // words before a_c
PELT_SHARED_CONST int kMaxKeyAngles = 8;
PELT_SHARED_CONST uint kMaxKeyCentres = 256u;

struct KeyPoseRecord {
  uint first_word;
  uint entry_count;
};
PELT_SHARED_SIZE(KeyPoseRecord, 8);

PELT_SHARED_FN float linear_key_weight(PoseWork work, uint word) {
  float x = joint_angle(work, table_word(work, word + 1u));
  float before = table_float(work, word + 2u);
  float own = table_float(work, word + 3u);
  float after = table_float(work, word + 4u);
  return x < own ? clamp((x - before) / (own - before), 0.0f, 1.0f) : clamp((after - x) / (after - own), 0.0f, 1.0f);
}

PELT_SHARED_FN float rbf_key_weight(PoseWork work, uint word) {
  uint angle_count = table_word(work, word + 1u);
  uint centre_count = table_word(work, word + 2u);
  uint first_angle = table_word(work, word + 3u);
  uint first_centre = table_word(work, word + 4u);
  float angles[kMaxKeyAngles];
  for (uint a = 0u; a < angle_count; ++a) angles[a] = joint_angle(work, first_angle + a * kJointAngleWords);
  float weight = 0.0f;
  for (uint c = 0u; c < centre_count; ++c) {
    float squared = 0.0f;
    for (uint a = 0u; a < angle_count; ++a) {
      float away = angles[a] - table_float(work, first_centre + c * (angle_count + 1u) + a);
      squared += away * away;
    }
    float inverse_width = table_float(work, first_centre + c * (angle_count + 1u) + angle_count);
    weight += table_float(work, word + kKeyRbfHeader + c) * exp(-squared * inverse_width);
  }
  return weight;
}

PELT_SHARED_FN float key_weight(PoseWork work, uint word) {
  uint kind = table_word(work, word);
  if (kind == kKeyControl) return input_value(work, table_word(work, word + 1u)) - table_float(work, word + 2u);
  if (kind == kKeyConstant) return 1.0f;
  return kind == kKeyLinear ? linear_key_weight(work, word) : rbf_key_weight(work, word);
}

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
    float weight = key_weight(work, table_word(work, word));
    offset += weight * table_vector(work, word + 1u);
    tilt += weight * table_vector(work, word + 4u);
  }
  return affine_from_axes(tilt_rotation(tilt), offset);
}

PELT_SHARED_END

#endif
