// SPDX-License-Identifier: MIT
// The vertex kernel: v' = sum over j of w_j T_j l (docs/mathematics.md section 0), and its other modes: dual
// quaternion, several deformers combined as in Wires, and groups of influences with their own local points. Holds the
// records, constants, bindings and mathematics that blend.comp shares with the CPU.
#ifndef PELT_SHADERS_BLEND_BLEND_H
#define PELT_SHADERS_BLEND_BLEND_H

#include "../dual_quaternion/dual_quaternion.h"
#include "../jobs.h"
#include "../power.h"
#include "pelt/shaders/frame.h"
#include "pelt/shaders/octahedral.h"

PELT_SHARED_BEGIN

PELT_SHARED_CONST uint kBlendWorkgroupSize = 128u;  // vertices that a workgroup moves
PELT_SHARED_CONST uint kSliceRows = 32u;            // rows of one length, column-major (pelt/pack.h)
PELT_SHARED_CONST uint kWeightUnits = 65535u;       // sum of the weights of a row, or of each of its groups
PELT_SHARED_CONST float kWeightUnit = 1.0f / 65535.0f;

PELT_SHARED_CONST uint kBlendLinear = 0u;
PELT_SHARED_CONST uint kBlendDualQuaternion = 1u;
PELT_SHARED_CONST uint kBlendWires = 2u;
PELT_SHARED_CONST uint kBlendOffsets = 3u;

PELT_SHARED_CONST uint kBlendBindRest = 1u;       // vec4[] local points and frames of kBlendOffsets, vec3[] rest
                                                  // positions, uvec2[] packed directions, uint[] slices, influences and
                                                  // gradients
PELT_SHARED_CONST uint kBlendBindPalette = 2u;    // Affine[]
PELT_SHARED_CONST uint kBlendBindDrivers = 3u;    // the palette again, then, as float[], vertices of drivers,
                                                  // written by control meshes
PELT_SHARED_CONST uint kBlendBindPositions = 4u;  // words of the outputs, written
PELT_SHARED_CONST uint kBlendBindNormals = 5u;
PELT_SHARED_CONST uint kBlendBindTangents = 6u;
PELT_SHARED_CONST uint kBlendBindPrevious = 7u;
PELT_SHARED_CONST uint kBlendBindCount = 8u;

// One mesh of one character, for the instances of a list, in tiles (block_of_tile in find_job.glsl). The first_...
// indices of rest data count from the start of the binding, in units of its elements.
struct BlendJob {
  uint vertex_count;
  uint by_blocks;  // reciprocal_of() its workgroups per instance
  uint mode;       // kBlendLinear, kBlendDualQuaternion, kBlendWires or kBlendOffsets
  uint first_point;
  uint first_direction;
  uint first_slice;  // slice values are relative to first_influence
  uint first_influence;
  // Palette entries are relative to the instance's first.
  uint palette_first;        // palette entry 0 of the mesh
  uint frame_first;          // palette entry of vertex 0's frame, or kNoIndex
  uint driver_first;         // first word of vertex 0 for an instance with first_driver 0, or kNoIndex
  uint output_first;         // vertex 0, relative to the instance's first in the outputs, or kNoIndex
  uint offset_first;         // palette entry that offsets vertex 0 before its blend (key_pose/pose.h), or kNoIndex
  uint mode_index;           // kBlendWires: palette entry of the root's motion; kBlendOffsets: local frame of vertex 0
                             // in the first group, or kNoIndex
  float wires_exponent;      // kBlendWires: m
  uint first_gradient;       // word of influence 0, two influences per word, or kNoIndex: no gradients
  uint first_gradient_unit;  // word of slice 0's unit, a float
  uint first_local;          // kBlendOffsets: local point of the mesh's first group
  uint painted_first_slice;  // used by instances of kEntryLinearBlend, or kNoIndex
  uint painted_first_influence;
  uint painted_palette_first;  // palette entry 0 of the painted weights
  // Morph targets (morph.h): first palette entry of the weights, or kNoIndex, and the number of entries.
  uint morph_first;
  uint morph_entries;
  uint morph_row_words;
  uint first_morph_slice;   // relative to the mesh's first column
  uint first_morph_column;  // word of column 0
  uint first_morph_offset;  // word of row 0 of column 0
  uint first_level;         // levels of detail at which the mesh is shown
  uint last_level;
};
PELT_SHARED_SIZE(BlendJob, 112);

PELT_SHARED_CONST uint kFormatNone = 0u;
PELT_SHARED_CONST uint kFormatFloat = 1u;             // positions, normals: three floats; tangents: four
PELT_SHARED_CONST uint kFormatOctahedral16 = 2u;      // one word (octahedral.h)
PELT_SHARED_CONST uint kFormatOctahedral16Both = 3u;  // normals: at an even word; the tangent in the next word
PELT_SHARED_CONST uint kFormatFloatTight = 4u;        // positions: three floats per vertex, without gaps

// The layout of an output in its binding, in words.
struct VertexStream {
  uint first;   // first word of vertex 0
  uint stride;  // from one vertex to the next
};

// Specialization constants, fixed when a crowd is made, so that unused features cost neither registers nor time.
PELT_SHARED_CONST uint kSpecNormalsFormat = 0u;
PELT_SHARED_CONST uint kSpecTangentsFormat = 1u;
PELT_SHARED_CONST uint kSpecPositionsFormat = 2u;
PELT_SHARED_CONST uint kSpecPreviousFormat = 3u;
PELT_SHARED_CONST uint kSpecContents = 4u;  // kHas... flags of a dispatch's jobs
PELT_SHARED_CONST uint kSpecCount = 5u;

PELT_SHARED_CONST uint kHasLinear = 1u;  // one bit per mode: 1 << mode
PELT_SHARED_CONST uint kHasDualQuaternion = 2u;
PELT_SHARED_CONST uint kHasWires = 4u;
PELT_SHARED_CONST uint kHasOffsets = 8u;
PELT_SHARED_CONST uint kHasModes = 15u;
PELT_SHARED_CONST uint kHasGradients = 16u;
PELT_SHARED_CONST uint kHasKeyPoses = 32u;  // offsets that move vertices of drivers before the blend
PELT_SHARED_CONST uint kHasPainted = 64u;   // implies kHasLinear
PELT_SHARED_CONST uint kHasDrivers = 128u;  // meshes whose vertices or frames later stages read
PELT_SHARED_CONST uint kHasOutputs = 256u;
PELT_SHARED_CONST uint kHasMorphs = 512u;
PELT_SHARED_CONST uint kHasRowsOver2 = 1024u;  // rows of linear blend with more than two influences
PELT_SHARED_CONST uint kHasRowsOver4 = 2048u;  // implies kHasRowsOver2

// The push constants of a blend.
struct BlendConstants {
  JobRange range;
  VertexStream positions;
  VertexStream normals;
  VertexStream tangents;
  VertexStream previous;
};
PELT_SHARED_SIZE(BlendConstants, 44);

// Returns the number of influences to which rows of one group are padded: shaders read two or four at a time.
PELT_SHARED_FN uint padded_influences(uint count) { return count <= 2u ? 2u : (count + 3u) & ~3u; }

PELT_SHARED_FN uint influence_index(uint word) { return word & 0xFFFFu; }

PELT_SHARED_FN uint influence_units(uint word) { return word >> 16u; }

PELT_SHARED_FN float influence_weight(uint word) { return float(influence_units(word)) * kWeightUnit; }

// The gradient of weights (docs/mathematics.md section 0). If the weights at a vertex P vary across the surface, the
// derivative of v' = sum w_j T_j P is not just the blend of the frames:
//     B = sum over j of w_j A_j  +  sum over j of (T_j P) grad(w_j)^T,        A: the 3x3 part of T.
// Without the second sum, lengths across the surface stay as in the rest pose, and normals round a bend lean by tens of
// degrees. Normals and tangents depend only on how B maps vectors along the surface, so the gradient is stored as its
// two components along the surface, next to the weight, in 16 bits: integers from -127 to 127 that sum to 0 over the
// row, in units of the row's slice.
struct TangentBasis {
  vec3 e;
  vec3 f;
};

// An orthonormal basis perpendicular to the rest normal, computed from the normal's packed word. The choice between two
// starting directions compares integers, so all processors agree.
PELT_SHARED_CONST int kTangentTurn = 13107;

PELT_SHARED_FN TangentBasis tangent_basis(uint normal_word) {
  int x = abs(int(normal_word << 16u) >> 16);
  int y = abs(int(normal_word) >> 16);
  bool along_x = (x + y > 32767 ? 32767 - y : x) >= kTangentTurn;
  vec3 normal = unpack_normal(normal_word);
  TangentBasis basis;
  basis.e = normalize(cross(normal, along_x ? vec3(0, 1, 0) : vec3(1, 0, 0)));
  basis.f = cross(normal, basis.e);
  return basis;
}

// Gradient components of influence `at`, in units of its slice. A word holds two influences.
PELT_SHARED_FN vec2 gradient_steps(uint word, uint at) {
  uint half_word = word >> (16u * (at & 1u));
  return vec2(float(int(half_word << 24u) >> 24), float(int(half_word << 16u) >> 24));
}

// The tangential derivative: sum over j of (T_j P) times the components of grad(w_j), the motion of the point along e
// and f due to the changing weights.
struct TangentialDerivative {
  vec3 e;
  vec3 f;
};

PELT_SHARED_FN TangentialDerivative derivative_begin() {
  TangentialDerivative derivative;
  derivative.e = vec3(0.0f);
  derivative.f = vec3(0.0f);
  return derivative;
}

PELT_SHARED_FN TangentialDerivative derivative_add(TangentialDerivative derivative, vec2 steps, vec3 moved) {
  derivative.e += steps.x * moved;
  derivative.f += steps.y * moved;
  return derivative;
}

// Adds the tangential derivative, in steps of `unit`, to the frame's axes. The frame still maps `point` to the same
// position.
PELT_SHARED_FN Affine frame_with_derivative(Affine frame, TangentialDerivative derivative, float unit,
                                            TangentBasis basis, vec3 point) {
  return frame + outerProduct(vec4(basis.e, -dot(basis.e, point)) * unit, derivative.e) +
         outerProduct(vec4(basis.f, -dot(basis.f, point)) * unit, derivative.f);
}

// Moves a local point by an offset before T, and turns the frame about the point: [R | o] of key_pose/pose.h. A
// includes the tangential derivative, if there is one, so the offset moves with the surface round the point.
PELT_SHARED_FN Affine offset_frame(Affine frame, Affine offset, vec3 point) {
  mat3 axes = affine_axes(frame) * affine_axes(offset);
  return affine_from_axes(axes, transform_point(frame, point + affine_origin(offset)) - axes * point);
}

// Several deformers on one skin (Singh & Fiume 1998, "Wires", section 4; docs/mathematics.md section 1). Each moves the
// point by D_i, relative to the root's motion G; v' = G P + sum c_i D_i, c_i = |D_i|^m / sum |D_j|^m. Since the c_i sum
// to 1, v' = (sum c_i T_i) P. The frame of v' contains the gradient of the c_i:
//     B = sum c_i A_i + sum c_i D_i g_i^T - (sum c_i D_i) (sum c_i g_i)^T,   g_i = m (A_i - A_G)^T D_i / |D_i|^2.
// The sums are relative to the largest |D_i|^m so far, so no exponent overflows.
struct WiresSum {
  float largest;  // largest |D_i| so far
  float shares;   // sum of (|D_i| / largest)^m
  Affine frame;   // the sum of T_i, with the same weights
  mat3 outer;     // the sum of D_i g_i^T
  vec3 moved;     // the sum of D_i
  vec3 slope;     // the sum of g_i
};

PELT_SHARED_FN WiresSum wires_begin() {
  WiresSum sum;
  sum.largest = 0.0f;
  sum.shares = 0.0f;
  sum.frame = Affine(0.0f);
  sum.outer = mat3(0.0f);
  sum.moved = vec3(0.0f);
  sum.slope = vec3(0.0f);
  return sum;
}

PELT_SHARED_FN WiresSum wires_add(WiresSum sum, Affine frame, Affine root, vec3 point, float exponent) {
  vec3 moved = transform_point(frame, point) - transform_point(root, point);
  float length_moved = length(moved);
  if (length_moved > sum.largest) {
    float shrink =
        sum.largest > 0.0f ? power_of(sum.largest / length_moved, exponent) : (exponent > 0.0f ? 0.0f : 1.0f);
    sum.shares = sum.shares * shrink;
    sum.frame = sum.frame * shrink;
    sum.outer = sum.outer * shrink;
    sum.moved = sum.moved * shrink;
    sum.slope = sum.slope * shrink;
    sum.largest = length_moved;
  }
  // If no deformer moves the point, all have the same |D_i|^m and so equal shares.
  float share = length_moved == sum.largest || exponent == 0.0f
                    ? 1.0f
                    : (length_moved > 0.0f ? power_of(length_moved / sum.largest, exponent) : 0.0f);
  float squared = dot(moved, moved);
  vec3 slope = vec3(0.0f);
  // Leave out a tiny displacement: its slope would be huge, and its share is nearly zero.
  if (squared > 1e-24f && length_moved > 1e-3f * sum.largest)
    slope = transpose(affine_axes(frame) - affine_axes(root)) * moved * (exponent / squared);
  sum.shares += share;
  sum.frame += share * frame;
  sum.outer += share * outerProduct(moved, slope);
  sum.moved += share * moved;
  sum.slope += share * slope;
  return sum;
}

// The frame that moves `point` to v' and has the axes B.
PELT_SHARED_FN Affine wires_frame(WiresSum sum, vec3 point) {
  float scale = 1.0f / sum.shares;
  Affine frame = sum.frame * scale;
  mat3 axes = affine_axes(frame) + sum.outer * scale - outerProduct(sum.moved * scale, sum.slope * scale);
  return affine_from_axes(axes, transform_point(frame, point) - axes * point);
}

// Groups of influences, each with its own local point l_g and share s_g; sum s_g = 1 (docs/mathematics.md section 0):
//     v' = sum s_g T_g l_g,  T_g = sum over j in g of w_gj T_gj,        B = sum s_g A_g dl_g,
// A: the 3x3 part of T, dl_g the derivative of l_g. Gradients are those of s_g w_gj. `local` holds l_g and s_g.
struct OffsetsSum {
  mat3 axes;                        // sum of s_g A_g N_g
  vec3 moved;                       // sum of s_g T_g l_g
  TangentialDerivative derivative;  // as the gradients', for local frames
};

// How a local point changes with the rest position: dl = N - e' e^T - f' f^T. N: with constant weights; e', f': less of
// it along e and f, because the weights change, in the unit of the gradients. Without one, N is the identity.
struct LocalFrame {
  mat3 n;
  vec3 e;
  vec3 f;
};

PELT_SHARED_CONST uint kLocalFrameVectors = 4u;  // columns of N with the components of e' after them; f'

PELT_SHARED_FN LocalFrame local_frame(vec4 x, vec4 y, vec4 z, vec4 f) {
  LocalFrame local;
  local.n = mat3(vec3(x.x, x.y, x.z), vec3(y.x, y.y, y.z), vec3(z.x, z.y, z.z));
  local.e = vec3(x.w, y.w, z.w);
  local.f = vec3(f.x, f.y, f.z);
  return local;
}

PELT_SHARED_FN OffsetsSum offsets_begin() {
  OffsetsSum sum;
  sum.axes = mat3(0.0f);
  sum.moved = vec3(0.0f);
  sum.derivative = derivative_begin();
  return sum;
}

PELT_SHARED_FN OffsetsSum offsets_add(OffsetsSum sum, Affine frame, vec4 local) {
  sum.axes += local.w * affine_axes(frame);
  sum.moved += local.w * transform_point(frame, vec3(local.x, local.y, local.z));
  return sum;
}

PELT_SHARED_FN OffsetsSum offsets_add_framed(OffsetsSum sum, Affine frame, vec4 local, LocalFrame by) {
  mat3 axes = local.w * affine_axes(frame);
  sum.axes += axes * by.n;
  sum.moved += local.w * transform_point(frame, vec3(local.x, local.y, local.z));
  sum.derivative.e -= axes * by.e;
  sum.derivative.f -= axes * by.f;
  return sum;
}

// The frame that moves the rest position `point` to v' and has the axes of B without derivatives.
PELT_SHARED_FN Affine offsets_frame(OffsetsSum sum, vec3 point) {
  return affine_from_axes(sum.axes, sum.moved - sum.axes * point);
}

// Normals and tangents (docs/mathematics.md section 0). If the pose mirrors the surface, callers turn the rest normal
// and the handedness first (mirror_sign). B is the 3x3 part of the blended frame. `turn` is a rotation near that of the
// strongest influence: the first of the row, or of the row's group with the largest share. It is used only if B has no
// usable rank, which non-degenerate poses never have, so shaders compute it only then.
PELT_SHARED_CONST float kMinDirection = 1e-12f;  // squared length relative to B: ten times the rounding error

// The sum of the squares of B's entries, to which lengths of mapped directions are compared.
PELT_SHARED_FN float squared_size(mat3 b) { return dot(b[0], b[0]) + dot(b[1], b[1]) + dot(b[2], b[2]); }

// B divided by its largest entry, so that squares and products of entries neither overflow nor vanish; zero for zero.
PELT_SHARED_FN mat3 scaled_to_unit(mat3 b) {
  float size = largest_entry(b);
  return b * (size > 1e-30f && size < 1e30f ? 1.0f / size : 0.0f);
}

// n' = normalize(cofactor(B) n); zero if rank(B) < 2.
PELT_SHARED_FN vec3 mapped_normal(mat3 b, vec3 rest_normal) {
  mat3 unit = scaled_to_unit(b);
  float size = squared_size(unit);
  vec3 normal = cofactor(unit) * rest_normal;
  float squared = dot(normal, normal);
  return squared > kMinDirection * size * size ? normal * (1.0f / sqrt(squared)) : vec3(0.0f);
}

// t' = normalize(B t), made orthogonal to the posed normal; zero if B maps t to nearly nothing.
PELT_SHARED_FN vec3 mapped_tangent(mat3 b, vec3 rest_tangent, vec3 posed_normal) {
  mat3 unit = scaled_to_unit(b);
  vec3 tangent = unit * rest_tangent;
  tangent = tangent - posed_normal * dot(posed_normal, tangent);
  float squared = dot(tangent, tangent);
  return squared > kMinDirection * squared_size(unit) ? tangent * (1.0f / sqrt(squared)) : vec3(0.0f);
}

// The rest tangent turned by the strongest influence and made orthogonal to the posed normal; if it is parallel to the
// normal, any direction across it.
PELT_SHARED_FN vec3 turned_tangent(mat3 turn, vec3 rest_tangent, vec3 posed_normal) {
  vec3 other = abs(posed_normal.x) < 0.6f ? vec3(1, 0, 0) : vec3(0, 1, 0);
  vec3 turned = turn * rest_tangent;
  turned = turned - posed_normal * dot(posed_normal, turned);
  return dot(turned, turned) > 1e-6f ? normalize(turned) : normalize(cross(posed_normal, other));
}

// Return the mapped normal and tangent; if B maps them to nothing, those turned by the strongest influence.
PELT_SHARED_FN vec3 blended_normal(mat3 b, vec3 rest_normal, mat3 turn) {
  vec3 normal = mapped_normal(b, rest_normal);
  return normal == vec3(0.0f) ? turn * rest_normal : normal;
}

PELT_SHARED_FN vec3 blended_tangent(mat3 b, vec3 rest_tangent, vec3 posed_normal, mat3 turn) {
  vec3 tangent = mapped_tangent(b, rest_tangent, posed_normal);
  return tangent == vec3(0.0f) ? turned_tangent(turn, rest_tangent, posed_normal) : tangent;
}

PELT_SHARED_END

#endif
