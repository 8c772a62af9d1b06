// SPDX-License-Identifier: MIT
// Weights of keys (docs/mathematics.md section 1.6), for morph targets of skins and key poses of drivers: a palette
// entry holds up to kMorphEntryTargets weights, in the order of morph.h. They are evaluated once per instance; later
// passes and blends read them.
//
// A weight is the sum of its keys, each one of
//     control: an input of the instance, minus a number: its value at bind;
//     ramp:    a factor times the fraction, 0 to 1, of the way from one number to another that an input has covered;
//     stretch: the same of the length of a muscle's line over that at bind (driver/action_line/pose.h);
//     linear:  the hat function of one angle: 1 at the key's own angle, 0 at the neighbouring keys;
//     rbf:     sum over centres c of a_c exp(-|x - x_c|^2 / width_c^2), x the angles; the a_c make it 1 at its own
//              key, 0 at all others and at rest.
// The last two are 0 below kTinyWeight.
#ifndef PELT_SHADERS_KEY_WEIGHTS_POSE_H
#define PELT_SHADERS_KEY_WEIGHTS_POSE_H

#include "../driver/action_line/pose.h"
#include "../morph/morph.h"
#include "../pose_pass.h"
#include "../power.h"
#include "../swing_twist.h"
#include "../table.h"

PELT_SHARED_BEGIN

// Layout of the table:
//   weight   a list (word), for each weight of the record
//   list     number of keys, then each key (word)
//   key      kind, then
//     control: input, the number
//     ramp:    input, from, to, factor; from < to
//     stretch: line (word), from, to, factor; from < to
//     linear:  angle (word), previous, own, next key in radians
//     rbf:     angle count, centre count, first angle (word), first centre (word), a_c ...
//   angle    of a joint: shaders/swing_twist.h
//   line     as in the table of driver/action_line/pose.h
//   centre   one number per angle, radians, then 1 / width^2
PELT_SHARED_CONST uint kKeyControl = 0u;
PELT_SHARED_CONST uint kKeyLinear = 1u;
PELT_SHARED_CONST uint kKeyRbf = 2u;
PELT_SHARED_CONST uint kKeyRamp = 3u;
PELT_SHARED_CONST uint kKeyStretch = 4u;
PELT_SHARED_CONST uint kKeyRbfHeader = 5u;  // words before a_c
PELT_SHARED_CONST int kMaxKeyAngles = 8;
PELT_SHARED_CONST uint kMaxKeyCentres = 256u;
PELT_SHARED_CONST float kTinyWeight = 1e-5f;

struct KeyWeightsRecord {
  uint first_word;
  uint weight_count;  // 1 to kMorphEntryTargets
};
PELT_SHARED_SIZE(KeyWeightsRecord, 8);

// Angles of joints, radians. Keys of a set follow each other and share them.
struct KeyAngles {
  uint first;  // word of the first one
  uint count;
  float at[kMaxKeyAngles];
};

// Returns `known` if it has these angles.
PELT_SHARED_FN KeyAngles key_angles(PoseWork work, KeyAngles known, uint first, uint count) {
  if (first == known.first && count <= known.count) return known;
  known.first = first;
  known.count = count;
  for (uint a = 0u; a < count; ++a) known.at[a] = joint_angle(work, first + a * kJointAngleWords);
  return known;
}

// Returns 0 for weights that nobody sees, so that the blend skips their targets.
PELT_SHARED_FN float unless_tiny(float weight) { return abs(weight) < kTinyWeight ? 0.0f : weight; }

PELT_SHARED_FN float linear_key_weight(PoseWork work, uint word, float x) {
  float before = table_float(work, word + 2u);
  float key = table_float(work, word + 3u);
  float after = table_float(work, word + 4u);
  return unless_tiny(clamp(x < key ? (x - before) / (key - before) : (after - x) / (after - key), 0.0f, 1.0f));
}

PELT_SHARED_FN float rbf_key_weight(PoseWork work, uint word, KeyAngles angles) {
  uint angle_count = table_word(work, word + 1u);
  uint centre_count = table_word(work, word + 2u);
  uint first_centre = table_word(work, word + 4u);
  float weight = 0.0f;
  for (uint c = 0u; c < centre_count; ++c) {
    float squared = 0.0f;
    for (uint a = 0u; a < angle_count; ++a) {
      float away = angles.at[a] - table_float(work, first_centre + c * (angle_count + 1u) + a);
      squared += away * away;
    }
    float inverse_width = table_float(work, first_centre + c * (angle_count + 1u) + angle_count);
    weight += table_float(work, word + kKeyRbfHeader + c) * exp_of(-squared * inverse_width);
  }
  return unless_tiny(weight);
}

PELT_SHARED_FN float ramp_key_weight(PoseWork work, uint word, float value) {
  float from = table_float(work, word + 2u);
  float to = table_float(work, word + 3u);
  float way = (value - from) / (to - from);
  return table_float(work, word + 4u) * clamp(way, 0.0f, 1.0f);
}

// `angles`: of a linear or radial key.
PELT_SHARED_FN float key_weight(PoseWork work, uint word, KeyAngles angles) {
  uint kind = table_word(work, word);
  uint source = table_word(work, word + 1u);
  if (kind == kKeyControl) return input_value(work, source) - table_float(work, word + 2u);
  if (kind == kKeyRamp) return ramp_key_weight(work, word, input_value(work, source));
  if (kind == kKeyStretch) return ramp_key_weight(work, word, read_action_line(work, source).longer);
  return kind == kKeyLinear ? linear_key_weight(work, word, angles.at[0]) : rbf_key_weight(work, word, angles);
}

PELT_SHARED_FN Affine pose_key_weights(KeyWeightsRecord record, PoseWork work) {
  Affine weights = Affine(0.0f);
  float largest = 0.0f;
  KeyAngles angles;
  angles.first = 0u;
  angles.count = 0u;
  for (uint i = 0u; i < record.weight_count; ++i) {
    uint list = table_word(work, record.first_word + i);
    float weight = 0.0f;
    for (uint k = table_word(work, list); k > 0u; --k) {
      uint word = table_word(work, list + k);
      uint kind = table_word(work, word);
      bool rbf = kind == kKeyRbf;
      if (rbf || kind == kKeyLinear) {
        uint first = table_word(work, word + (rbf ? 3u : 1u));
        angles = key_angles(work, angles, first, rbf ? table_word(work, word + 1u) : 1u);
      }
      weight += key_weight(work, word, angles);
    }
    weights[(i + 1u) / 4u][(i + 1u) % 4u] = weight;
    largest = max(largest, abs(weight));
  }
  weights[0].x = largest;
  return weights;
}

PELT_SHARED_END

#endif
