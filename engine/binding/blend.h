// SPDX-License-Identifier: MIT
// The CPU's vertex kernel: v' = sum over j of w_j T_j l (docs/mathematics.md section 0), with the gradient of the
// weights in its frames where the binding has it, and its other modes: dual quaternion, Wires, local points. It reads
// the streams that the GPU reads, as they are, so that both differ by rounding only.
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <span>

#include <pelt/frame.h>
#include <pelt/pack.h>

namespace pelt {

// A palette entry as the linear kernel loads it: one cache line, the frame's three rows times kWeightUnit (so that
// integer weights apply as they are), then a row that is not used.
struct alignas(64) PaletteLine {
  glm::vec4 rows[4];
};

// lines[i] = palette[i]. Shape: equal sizes.
void make_palette_lines(std::span<const Affine> palette, std::span<PaletteLine> lines);

// Where a mesh's vertices go: arrays of vertex_count elements, or null where not wanted. Model space.
struct BlendOutputs {
  glm::vec3* positions = nullptr;  // always given
  glm::vec3* normals = nullptr;    // unit
  glm::vec4* tangents = nullptr;   // unit xyz, orthogonal to the normal; w = handedness. Given only with normals
  Affine* frames = nullptr;        // the blended frame of each vertex
};

// Moves rows [32 first_slice, 32 last_slice) of a validated binding. Element e of its influences is palette[e]; for
// dual quaternions it is the first of the two entries of shaders/dual_quaternion/pose.h. Finite for every finite
// palette. Normals and tangents by the rule of shaders/blend/blend.h.
struct SliceRange {
  std::size_t first;
  std::size_t last;
};
void blend_linear(const PackedBinding& binding, SliceRange slices, std::span<const PaletteLine> palette,
                  const BlendOutputs& out);
void blend_dual_quaternion(const PackedBinding& binding, SliceRange slices, std::span<const Affine> palette,
                           const BlendOutputs& out);

// blend_linear without vectors, some times as slow: the same bits on every processor, and but for rounding the same
// numbers.
void blend_linear_by_scalars(const PackedBinding& binding, SliceRange slices, std::span<const Affine> palette,
                             const BlendOutputs& out);

// The same of a binding of several groups, combined as in Wires (shaders/blend/blend.h). `root`: the motion from which
// displacements are measured.
struct WiresParameters {
  Affine root;
  float exponent;
};
void blend_wires(const PackedBinding& binding, SliceRange slices, std::span<const Affine> palette,
                 const WiresParameters& parameters, const BlendOutputs& out);

// The same of a binding of several groups with local points of their own.
void blend_offsets(const PackedBinding& binding, SliceRange slices, std::span<const Affine> palette,
                   const BlendOutputs& out);

// Moves what was blended with frames: vertex i and its frame by offsets[i], [R | o], before they were moved
// (shaders/blend/blend.h), and so its normal and tangent. Precondition: out.frames.
void add_offsets(const PackedBinding& binding, std::span<const Affine> offsets, const BlendOutputs& out);

inline std::size_t slice_count(const PackedBinding& binding) {
  return binding.slices.empty() ? 0 : binding.slices.size() - 1;
}

}  // namespace pelt
