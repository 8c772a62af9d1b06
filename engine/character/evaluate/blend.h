// SPDX-License-Identifier: MIT
// The CPU's vertex kernels: v' = sum over j of w_j T_j l (docs/mathematics.md section 0); also dual quaternions, Wires,
// and groups with local points. If the binding has gradients of the weights, frames include them. The kernels read the
// GPU's streams unchanged, so both results differ by rounding only.
#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <glm/gtc/type_precision.hpp>
#include <span>

#include <pelt/character.h>
#include <pelt/frame.h>
#include <pelt/pack.h>

#include "engine/character/rows/tension_rings.h"
#include "shaders/blend/blend.h"

namespace pelt {

// A palette entry as the vector kernels load it, in one cache line: its three rows, divided by shared::kWeightUnits so
// that integer weights apply directly, and an unused row.
struct alignas(64) PaletteLine {
  glm::vec4 rows[4];
};

// Sets lines[i] from palette[i]. Both must have the same size.
void make_palette_lines(std::span<const Affine> palette, std::span<PaletteLine> lines);

// Whether any joint of a palette of dual quaternions stretches, for blend_dual_quaternion.
enum class Stretches {
  kNone,  // no joint stretches (shaders/dual_quaternion/pose.h), so stretches are not read
  kSome,
};

// Does the same with a palette of dual quaternions and stretches (shaders/dual_quaternion/pose.h), and returns whether
// any joint stretches.
Stretches make_dual_quaternion_lines(std::span<const Affine> palette, std::span<PaletteLine> lines);

// Output arrays of a mesh, vertex_count values each, model space. Null: not requested.
struct BlendOutputs {
  glm::vec3* positions = nullptr;  // required
  glm::vec3* normals = nullptr;    // unit
  glm::vec4* tangents = nullptr;   // unit xyz, orthogonal to the normal; w = handedness. Requires normals
  Affine* frames = nullptr;        // the blended frame of each vertex
};

// Returns true if a requested output depends on gradients. Positions do not.
inline bool reads_gradients(const PackedBinding& binding, const BlendOutputs& out) {
  return !binding.gradients.empty() && (out.normals != nullptr || out.frames != nullptr);
}

// The sum of morph target offsets of a slice's rows: metres for positions, relative to unit length for normals and
// tangents.
struct MorphSums {
  alignas(64) float sums[9][shared::kSliceRows];  // positions, normals and tangents, each x, y and z
  bool normals = false;                           // false: normals do not change, and their sums may be missing
  bool tangents = false;                          // the same for tangents
};

// The rest positions and packed directions that the kernels move: those of the binding, or with morph targets added.
// The arrays may start at a later slice than the first; they cover every slice that is moved.
struct RestShape {
  const glm::vec3* points;
  const glm::uvec2* directions;
  std::size_t first_row = 0;
  const MorphSums* sums = nullptr;  // one per moved slice, or null; only kernels of PaletteLine add them

  const glm::vec3& point(std::size_t row) const { return points[row - first_row]; }
  const glm::uvec2& direction(std::size_t row) const { return directions[row - first_row]; }
};
inline RestShape rest_shape(const PackedBinding& binding) { return {binding.points.data(), binding.directions.data()}; }

// Range of slices: rows [32 first, 32 last) of a validated binding. The functions below move these rows. Influence
// index e is palette[e]; for dual quaternions, the first of the two palette entries of shaders/dual_quaternion/pose.h.
// Results are finite for every finite palette. Normals and tangents follow shaders/blend/blend.h.
struct SliceRange {
  std::size_t first;
  std::size_t last;
};
void blend_linear(const PackedBinding& binding, RestShape rest, SliceRange slices, std::span<const PaletteLine> palette,
                  const BlendOutputs& out);
void blend_dual_quaternion(const PackedBinding& binding, RestShape rest, SliceRange slices,
                           std::span<const PaletteLine> palette, Stretches stretches, const BlendOutputs& out);

// Do the same without vector instructions: slower, with the same bits on every processor, and equal to the functions
// above within rounding.
void blend_linear_by_scalars(const PackedBinding& binding, RestShape rest, SliceRange slices,
                             std::span<const Affine> palette, const BlendOutputs& out);
void blend_dual_quaternion_by_scalars(const PackedBinding& binding, RestShape rest, SliceRange slices,
                                      std::span<const Affine> palette, const BlendOutputs& out);

// Does the same for a binding of several groups, combined as in Wires (shaders/blend/blend.h). `root`: the motion
// relative to which displacements are measured.
struct WiresParameters {
  Affine root;
  float exponent;
};
void blend_wires(const PackedBinding& binding, RestShape rest, SliceRange slices, std::span<const Affine> palette,
                 const WiresParameters& parameters, const BlendOutputs& out);

// Does the same for a binding of several groups, each with its own local points.
void blend_offsets(const PackedBinding& binding, RestShape rest, SliceRange slices, std::span<const Affine> palette,
                   const BlendOutputs& out);

// Moves only vertex v, by the functions above without vector instructions, with the same bits. `rest`: at least that
// row. `out`: arrays of one vertex, without frames. `wires`: of a binding of BlendMode::kWires.
void blend_vertex(const PackedBinding& binding, BlendMode mode, RestShape rest, std::size_t v,
                  std::span<const Affine> palette, const WiresParameters& wires, const BlendOutputs& out);

// Applies offsets to vertices from `first` on that were blended with frames: moves vertex first + i, its frame, normal
// and tangent by offsets[i] = [R | o], as if applied before the blend (shaders/blend/blend.h). Precondition: out.frames
// is not null.
void add_offsets(const PackedBinding& binding, std::size_t first, std::span<const Affine> offsets,
                 const BlendOutputs& out);

// Finds the tension of the moved vertices of some slices (shaders/tension/tension.h).
void find_tension(const PackedBinding& binding, const TensionRings& rings, SliceRange slices,
                  const glm::vec3* positions, glm::i8vec2* tension);

inline std::size_t slice_count(const PackedBinding& binding) {
  return binding.slices.empty() ? 0 : binding.slices.size() - 1;
}

}  // namespace pelt
