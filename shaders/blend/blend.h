// SPDX-License-Identifier: MIT
// The one vertex kernel: v' = sum over j of w_j T_j l (math.md section 0), and dual quaternion as its other mode.
// Records, constants, bindings and the mathematics that blend.comp and its readers share.
#ifndef PELT_SHADERS_BLEND_BLEND_H
#define PELT_SHADERS_BLEND_BLEND_H

#include "../dual_quaternion/dual_quaternion.h"
#include "../frame.h"
#include "../jobs.h"
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
PELT_SHARED_CONST uint kBlendBindRows = 3u;        // uint[], slices and influences
PELT_SHARED_CONST uint kBlendBindPalette = 4u;     // Affine[]
PELT_SHARED_CONST uint kBlendBindFrames = 5u;      // the palette again, written by control meshes
PELT_SHARED_CONST uint kBlendBindPositions = 6u;   // vec3[], written
PELT_SHARED_CONST uint kBlendBindNormals = 7u;     // uvec2[], packed normal and tangent, written

// One mesh of one character, for all instances of it. A workgroup finds its job by first_workgroup; within the job
// instance is the fastest index, so that neighbours share bind data.
struct BlendJob {
  uint first_workgroup;
  uint instance_count;
  uint vertex_count;
  uint mode;             // kBlendLinear or kBlendDualQuaternion
  uint first_point;      // of the mesh in points and directions
  uint first_slice;      // of the mesh in rows; slice values are relative to first_influence
  uint first_influence;  // of the mesh in rows
  uint palette_first;    // slot of element 0 for instance 0
  uint palette_stride;   // slots from one instance to the next
  uint frame_first;      // slot of vertex 0's frame for instance 0, or kNoSlot
  uint output_first;     // vertex 0 of instance 0 in positions and normals
  uint output_stride;    // vertices from one instance to the next
};
PELT_SHARED_SIZE(BlendJob, 48);

PELT_SHARED_FN uint influence_index(uint word) { return word & 0xFFFFu; }

PELT_SHARED_FN float influence_weight(uint word) { return float(word >> 16u) * kWeightUnit; }

// Normals and tangents (math.md section 0). B is the 3x3 part of the blended frame, `turn` a rotation near the one of
// the row's first influence, which is its strongest: what stays where B has no usable rank.
PELT_SHARED_CONST float kLeastDirection = 1e-12f;  // squared length, relative to B: ten times what rounding leaves

// The squares of B's entries, summed: what lengths of mapped directions are compared with.
PELT_SHARED_FN float squared_size(mat3 b) { return dot(b[0], b[0]) + dot(b[1], b[1]) + dot(b[2], b[2]); }

// B over its largest entry: squares and products of entries neither overflow nor vanish. Zero where B has none.
PELT_SHARED_FN mat3 scaled_to_unit(mat3 b) {
  vec3 largest = max(max(abs(b[0]), abs(b[1])), abs(b[2]));
  float size = max(max(largest.x, largest.y), largest.z);
  return b * (size > 1e-30f && size < 1e30f ? 1.0f / size : 0.0f);
}

// n' = normalize(cofactor(B) n); where rank(B) < 2, the rest normal turned by the strongest influence.
PELT_SHARED_FN vec3 blended_normal(mat3 b, vec3 rest_normal, mat3 turn) {
  mat3 unit = scaled_to_unit(b);
  float size = squared_size(unit);
  vec3 normal = cofactor(unit) * rest_normal;
  float squared = dot(normal, normal);
  return squared > kLeastDirection * size * size ? normal * (1.0f / sqrt(squared)) : turn * rest_normal;
}

// t' = normalize(B t) made orthogonal to the posed normal; where B leaves nothing of t, the rest tangent turned by the
// strongest influence; where that runs along the normal, any direction across it.
PELT_SHARED_FN vec3 blended_tangent(mat3 b, vec3 rest_tangent, vec3 posed_normal, mat3 turn) {
  mat3 unit = scaled_to_unit(b);
  vec3 tangent = unit * rest_tangent;
  tangent = tangent - posed_normal * dot(posed_normal, tangent);
  float squared = dot(tangent, tangent);
  if (squared > kLeastDirection * squared_size(unit)) return tangent * (1.0f / sqrt(squared));
  vec3 other = abs(posed_normal.x) < 0.6f ? vec3(1, 0, 0) : vec3(0, 1, 0);
  vec3 turned = turn * rest_tangent;
  turned = turned - posed_normal * dot(posed_normal, turned);
  return dot(turned, turned) > 1e-6f ? normalize(turned) : normalize(cross(posed_normal, other));
}

// Both, from the packed rest directions to packed posed ones; handedness is kept.
PELT_SHARED_FN uvec2 blended_directions(mat3 b, uvec2 rest, mat3 turn) {
  vec4 rest_tangent = unpack_tangent(rest.y);
  vec3 normal = blended_normal(b, unpack_normal(rest.x), turn);
  vec3 tangent = blended_tangent(b, vec3(rest_tangent.x, rest_tangent.y, rest_tangent.z), normal, turn);
  return uvec2(pack_normal(normal), pack_tangent(vec4(tangent, rest_tangent.w)));
}

PELT_SHARED_END

#endif
