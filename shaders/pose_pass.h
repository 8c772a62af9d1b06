// SPDX-License-Identifier: MIT
// Shared by all pose passes: jobs, bindings and workgroup size. A pass turns records into palette entries; the record
// and the mathematics of each deformer are in shaders/<deformer>/pose.h.
#ifndef PELT_SHADERS_POSE_PASS_H
#define PELT_SHADERS_POSE_PASS_H

#include "jobs.h"
#include "pelt/shaders/frame.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kPoseWorkgroupSize = 64u;  // records, or palette entries, that a workgroup poses

PELT_SHARED_CONST uint kPoseBindRecords = 1u;   // the deformer's record[]
PELT_SHARED_CONST uint kPoseBindJoints = 2u;    // Affine[], the joints' frames
PELT_SHARED_CONST uint kPoseBindVertices = 3u;  // vec3[], posed positions of earlier stages
PELT_SHARED_CONST uint kPoseBindPalette = 4u;   // Affine[], written; entries of earlier passes are read
PELT_SHARED_CONST uint kPoseBindTable = 5u;     // uint[], the table to which records of varying length refer
PELT_SHARED_CONST uint kPoseBindInputs = 6u;    // float[], streamed positions and controls
PELT_SHARED_CONST uint kPoseBindCount = 7u;

// One pass of one character, for the instances of a list. Within the job, workgroups are ordered by record block, then
// by instance: record block * kPoseWorkgroupSize is the first of a workgroup.
struct PoseJob {
  uint record_count;
  uint first_record;
  uint first_entry;  // palette entry of record 0, relative to the instance's first
  uint table_first;  // word 0 of the pass's table
};
PELT_SHARED_SIZE(PoseJob, 16);

PELT_SHARED_POSE_WORK

PELT_SHARED_END

#endif
