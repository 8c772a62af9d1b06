// SPDX-License-Identifier: MIT
// The weights of morph targets of skins: a palette entry holds those of up to kMorphEntryTargets targets (morph.h).
#ifndef PELT_SHADERS_MORPH_POSE_H
#define PELT_SHADERS_MORPH_POSE_H

#include "../pose_pass.h"
#include "morph.h"

PELT_SHARED_BEGIN

// Layout of the table: the input with each target's weight.
struct MorphWeightsRecord {
  uint first_word;
  uint target_count;  // 1 to kMorphEntryTargets
};
PELT_SHARED_SIZE(MorphWeightsRecord, 8);

PELT_SHARED_FN Affine pose_morph_weights(MorphWeightsRecord record, PoseWork work) {
  Affine weights = Affine(0.0f);
  float largest = 0.0f;
  for (uint t = 0u; t < record.target_count; ++t) {
    float weight = input_value(work, table_word(work, record.first_word + t));
    weights[(t + 1u) / 4u][(t + 1u) % 4u] = weight;
    largest = max(largest, abs(weight));
  }
  weights[0].x = largest;
  return weights;
}

PELT_SHARED_END

#endif
