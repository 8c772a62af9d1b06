// SPDX-License-Identifier: MIT
// Reads vectors and frames from a pass's table.
#ifndef PELT_SHADERS_TABLE_H
#define PELT_SHADERS_TABLE_H

#include "pose_pass.h"

PELT_SHARED_BEGIN

PELT_SHARED_FN vec3 table_vector(PoseWork work, uint word) {
  return vec3(table_float(work, word), table_float(work, word + 1u), table_float(work, word + 2u));
}

PELT_SHARED_CONST uint kTableAffineWords = 12u;

// Reads an affine frame, row by row.
PELT_SHARED_FN Affine table_affine(PoseWork work, uint word) {
  return Affine(vec4(table_vector(work, word), table_float(work, word + 3u)),
                vec4(table_vector(work, word + 4u), table_float(work, word + 7u)),
                vec4(table_vector(work, word + 8u), table_float(work, word + 11u)));
}

PELT_SHARED_END

#endif
