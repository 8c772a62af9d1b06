// SPDX-License-Identifier: MIT
// Key poses (math.md section 1): offsets of driver vertices, in the frame of their limb, keyed on joint angles. The
// palette entry of a vertex holds sum over keys of w_key * offset in its first row; the blend adds it to the rest
// position, so that the limb carries it (the same translation in the vertex and in its frame).
//
// A key's weight w is one of
//     control:  an input of the instance (a morph target's weight), less its value at rest;
//     constant: 1;
//     linear:   the hat function of one angle: 0 at the keys beside, 1 at its own;
//     rbf:      sum over centres c of a_c exp(-|x - x_c|^2 / width_c^2), x the angles; a_c make it 1 at its own key and
//     0
//               at all others and at rest.
#ifndef PELT_SHADERS_KEY_POSE_POSE_H
#define PELT_SHADERS_KEY_POSE_POSE_H

#include "../pose_pass.h"
#include "../swing_twist.h"

PELT_SHARED_BEGIN

// In the table:
//   entry    key (word), offset x, y, z
//   key      kind, then
//     control: input, its value at rest
//     linear:  angle (word), previous, own, next key in radians
//     constant: nothing
//     rbf:     angle count, centre count, first angle (word), first centre (word), a_c ...
//   angle    of a joint: shaders/swing_twist.h
//   centre   one number an angle, radians, then 1 / width^2
PELT_SHARED_CONST uint kKeyEntryWords = 4u;
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

PELT_SHARED_FN Affine pose_key_offset(KeyPoseRecord record, PoseWork work) {
  vec3 offset = vec3(0.0f);
  for (uint i = 0u; i < record.entry_count; ++i) {
    uint word = record.first_word + i * kKeyEntryWords;
    float weight = key_weight(work, table_word(work, word));
    offset += weight * vec3(table_float(work, word + 1u), table_float(work, word + 2u), table_float(work, word + 3u));
  }
  return Affine(vec4(offset, 0.0f), vec4(0.0f), vec4(0.0f));
}

PELT_SHARED_END

#endif
