// SPDX-License-Identifier: MIT
// Packing: finished rows and rest geometry into the flat streams that shaders/blend/ reads. It decides nothing.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/binding/slope_rows.h"
#include "engine/binding/sparse_rows.h"
#include "engine/core/result.h"

namespace pelt {

// The bind data of one mesh as the GPU reads it (layout and decoding: shaders/blend/blend.h).
//
//   points      n x float3      local point of vertex i, here its rest position, model space at bind, metres
//   directions  n x uint x 2    normal: octahedral snorm16 x 2; tangent: the same, lowest bit 1 where handedness is -1
//   slices      ceil(n/32)+1    first word of slice s in `influences`
//   influences  words           slice s holds 32 rows of one length, column-major: word k * 32 + r is influence k of
//                               row 32 s + r: element index in the low 16 bits, unorm16 weight in the high 16.
//                               Shorter rows, and rows past n, are filled with weight 0 at a valid index.
//   slope_slices  ceil(n/32)+1  first element of slice s in `slopes`; empty where the mesh has no slopes
//   slopes      uint x 2        column-major per slice, as influences. First word: the slope's slot in the low 16 bits,
//                               above it |gradient| in 15 bits; second word: the gradient's direction, octahedral
//                               snorm16 x 2. Filled with gradient 0 at a valid slot.
//
// The integer weights of a row sum to exactly 65535. A row may hold several groups, one after the other, each with
// weights that sum to that: deformers that are combined at the vertex. There the slopes of a row follow in the same
// order, and the last one of each group, which may have gradient 0, has the highest bit of its first word set.
struct PackedBinding {
  std::vector<glm::vec3> points;
  std::vector<glm::uvec2> directions;
  std::vector<std::uint32_t> slices;
  std::vector<std::uint32_t> influences;
  std::vector<std::uint32_t> slope_slices;
  std::vector<glm::uvec2> slopes;

  std::uint32_t vertex_count() const { return static_cast<std::uint32_t>(points.size()); }
};

enum class Groups {
  kOne,
  kSeveral,
};

struct RestGeometry {
  std::span<const glm::vec3> positions;
  std::span<const glm::vec3> normals;   // unit; same size as positions
  std::span<const glm::vec4> tangents;  // unit xyz, w = +1 or -1; empty: made from the normals
};

// The order in which rows of similar length become neighbours, so that slices waste little: rows sorted by length,
// longest first, of equal ones those with the most slopes, within windows of 4096, ties by index. Returns the source
// row of each packed row.
std::vector<std::uint32_t> order_by_row_length(std::span<const SparseRows> groups,
                                               std::span<const SlopeRows> slopes = {});

// Packs the rows of `groups` (at least one) and `rest`, packed row r taken from source row order[r]; `order` is a
// permutation (empty: as they are). `slopes`: of each group, without rows where it has none; or empty. Errors:
// kUnsupported where an index does not fit 16 bits, or a gradient is not below 8e9 per metre; sizes that differ.
Result<PackedBinding> pack(std::span<const SparseRows> groups, const RestGeometry& rest,
                           std::span<const std::uint32_t> order, std::span<const SlopeRows> slopes = {});

// The rows that the streams hold, weights as multiples of 1/65535; padding left out.
SparseRows unpack_rows(const PackedBinding& packed);

// The slopes of all groups, as exact as they are kept; no rows where there are none.
SlopeRows unpack_slopes(const PackedBinding& packed);

// Every way in which packed streams can be unusable, as a kInvalidArgument error that names `what` and the row: sizes
// that disagree, slices that do not ascend or overrun, indices >= palette_size, weights that do not sum to 65535,
// slopes that are not in as many groups as the weights, points that are not finite.
Result<void> validate(const PackedBinding& packed, std::size_t palette_size, Groups groups, const std::string& what);

}  // namespace pelt
