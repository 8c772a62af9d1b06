// SPDX-License-Identifier: MIT
// Streamed drivers, whose vertices the caller sets each frame (a simulation, a point cache): the palette entry of a
// vertex is the translation from its rest position to the streamed one.
#ifndef PELT_SHADERS_STREAM_POSE_H
#define PELT_SHADERS_STREAM_POSE_H

#include "../../pose_pass.h"
#include "pelt/shaders/frame.h"

PELT_SHARED_BEGIN

struct StreamRecord {
  uint first_input;  // x; y and z follow
  PackedVec3 rest;
};
PELT_SHARED_SIZE(StreamRecord, 16);

PELT_SHARED_FN Affine pose_stream(StreamRecord record, PoseWork work) {
  vec3 streamed = vec3(input_value(work, record.first_input), input_value(work, record.first_input + 1u),
                       input_value(work, record.first_input + 2u));
  return affine_from_axes(mat3(1.0f), streamed - unpacked(record.rest));
}

PELT_SHARED_END

#endif
