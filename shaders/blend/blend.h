// SPDX-License-Identifier: MIT
// The one vertex kernel: v' = sum over j of w_j T_j l (math.md section 0), and dual quaternion as its other mode.
// Records, constants, bindings and the mathematics that blend.comp and its readers share.
#ifndef PELT_SHADERS_BLEND_BLEND_H
#define PELT_SHADERS_BLEND_BLEND_H

#include "../frame.h"
#include "../octahedral.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kBlendWorkgroupSize = 128u;  // vertices a workgroup moves
PELT_SHARED_CONST uint kSliceRows = 32u;            // rows of one length, column-major (engine/binding/pack.h)
PELT_SHARED_CONST float kWeightUnit = 1.0f / 65535.0f;
PELT_SHARED_CONST uint kNoSlot = 0xFFFFFFFFu;

PELT_SHARED_CONST uint kBlendLinear = 0u;
PELT_SHARED_CONST uint kBlendDualQuaternion = 1u;

PELT_SHARED_CONST uint kBlendBindJobs = 0u;        // BlendJob[], ascending first_workgroup
PELT_SHARED_CONST uint kBlendBindPoints = 1u;      // vec3[], local points
PELT_SHARED_CONST uint kBlendBindDirections = 2u;  // uvec2[], packed normal and tangent
PELT_SHARED_CONST uint kBlendBindSlices = 3u;      // uint[]
PELT_SHARED_CONST uint kBlendBindInfluences = 4u;  // uint[]
PELT_SHARED_CONST uint kBlendBindPalette = 5u;     // Affine[]; read, and written by control meshes (frames)
PELT_SHARED_CONST uint kBlendBindPositions = 6u;   // vec3[], written
PELT_SHARED_CONST uint kBlendBindNormals = 7u;     // uvec2[], packed normal and tangent, written

// One mesh of one character, for all instances of it. A workgroup finds its job by first_workgroup; within the job
// instance is the fastest index, so that neighbours share bind data.
struct BlendJob {
  uint first_workgroup;
  uint instance_count;
  uint vertex_count;
  uint mode;         // kBlendLinear or kBlendDualQuaternion
  uint first_point;  // of the mesh in points and directions
  uint first_slice;  // of the mesh in slices; slice values are relative to first_influence
  uint first_influence;
  uint palette_first;   // slot of element 0 for instance 0
  uint palette_stride;  // slots from one instance to the next
  uint frame_first;     // slot of vertex 0's frame for instance 0, or kNoSlot
  uint output_first;    // vertex 0 of instance 0 in positions and normals
  uint output_stride;   // vertices from one instance to the next
};
PELT_SHARED_SIZE(BlendJob, 48);

struct BlendConstants {
  uint job_count;
};
PELT_SHARED_SIZE(BlendConstants, 4);

PELT_SHARED_FN uint influence_index(uint word) { return word & 0xFFFFu; }

PELT_SHARED_FN float influence_weight(uint word) { return float(word >> 16u) * kWeightUnit; }

PELT_SHARED_END

#endif
