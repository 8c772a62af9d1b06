// SPDX-License-Identifier: MIT
// Packing: finished rows and rest geometry into the flat streams that shaders/blend/ reads. It decides nothing.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/result.h>
#include <pelt/sparse_rows.h>

namespace pelt {

// The bind data of one mesh as the GPU reads it (layout and decoding: shaders/blend/blend.h).
//
//   points      n x float3      rest position of vertex i, model space at bind, metres: its local point, but for groups
//                               that have their own
//   directions  n x uint x 2    normal: octahedral snorm16 x 2; tangent: the same, lowest bit 1 where handedness is -1
//   slices      ceil(n/32)+1    first word of slice s in `influences`
//   influences  words           slice s holds 32 rows of one length, column-major: word k * 32 + r is influence k of
//                               row 32 s + r: element index in the low 16 bits, unorm16 weight in the high 16.
//                               Shorter rows, and rows past n, are filled with weight 0 at a valid index.
//   gradients   words           how each weight changes across the surface: influence i in 16 bits of word i / 2, the
//                               low ones first: components along shared::tangent_basis of the packed normal, signed
//                               integers of 8 bits from -127 to 127; empty where the mesh has none
//   gradient_units  ceil(n/32)  1/metres, what the integers of slice s count; empty where the mesh has none
//   local_points  G x n x float4
//                               of groups with local points of their own, else empty: entry g n + i is the local point
//                               of vertex i in group g, model space at bind, metres, then the group's share
//
// The integer weights of a row sum to exactly 65535. A row may hold several groups, one after the other, each with
// weights that sum to that: deformers that are combined at the vertex. The gradients of each group sum to 0.
//
// Where there are local points every row holds G groups, at most kMaxLocalGroups, and their shares sum to 1. A group
// whose share is 0 at a vertex has one influence there, an entry that the row names elsewhere. Gradients are of the
// share times the weight, and those of the row sum to 0.
struct PackedBinding {
  std::vector<glm::vec3> points;
  std::vector<glm::uvec2> directions;
  std::vector<std::uint32_t> slices;
  std::vector<std::uint32_t> influences;
  std::vector<std::uint32_t> gradients;
  std::vector<float> gradient_units;
  std::vector<glm::vec4> local_points;

  std::uint32_t vertex_count() const { return static_cast<std::uint32_t>(points.size()); }
};

constexpr std::size_t kMaxLocalGroups = 8;
constexpr float kMaxShare = 64;  // of either sign

enum class Groups {
  kOne,
  kSeveral,    // any number in a row
  kWithPoints  // as many as local_points has
};

struct RestGeometry {
  std::span<const glm::vec3> positions;
  std::span<const glm::vec3> normals;   // unit; same size as positions
  std::span<const glm::vec4> tangents;  // unit xyz, w = +1 or -1; empty: made from the normals
};

// Weights as multiples of 1/65535 that sum to exactly 1, in the row's order: as pack stores them. Each is rounded, and
// what that leaves is carried to the next palette entry: neighbours in the palette move alike, so that the errors of a
// long row cancel where they would add up, and weights below one step do not vanish together. Replaces `by_index`, the
// order of the row's indices, and `units`. Precondition: weights are >= 0 and sum to about 1.
void quantise(std::span<const Influence> row, std::vector<std::uint32_t>& by_index, std::vector<std::uint32_t>& units);

// Makes rows of similar length neighbours, so that slices waste little: rows sorted by length, longest first, within
// windows of 4096 rows of `order`, ties as they are there. `order`: a permutation, the source row of each packed row;
// what is near in it stays near.
void order_by_row_length(std::span<const SparseRows> groups, std::vector<std::uint32_t>& order);

// Packs the rows of `groups` (at least one) and `rest`, packed row r taken from source row order[r]; `order` is a
// permutation (empty: as they are). `local_points`: of each group, a vertex each, or empty; with them a row of a group
// may have no entry where its share is 0. Errors: kUnsupported where an index does not fit 16 bits, a gradient is not
// below 1e12 per metre, or there are more than kMaxLocalGroups; sizes that differ; a vertex without any entry.
Result<PackedBinding> pack(std::span<const SparseRows> groups, const RestGeometry& rest,
                           std::span<const std::uint32_t> order,
                           std::span<const std::vector<glm::vec4>> local_points = {});

// The rows that the streams hold, weights as multiples of 1/65535; padding left out. Of groups with local points the
// weights times the share, those of share 0 left out.
SparseRows unpack_rows(const PackedBinding& packed);

// The gradient of influence `at` of row `row`, 1/metres, as exact as it is kept; 0 where there are none.
glm::vec3 unpack_gradient(const PackedBinding& packed, std::size_t row, std::size_t at);

// Every way in which packed streams can be unusable, as a kInvalidArgument error that names `what` and the row: sizes
// that disagree, slices that do not ascend or overrun, indices >= palette_size, weights that do not sum to 65535,
// gradients that do not sum to 0, or are of a weight of 0 among several groups, points that are not finite, local
// points that are not there for every group, or whose shares are beyond kMaxShare or do not sum to 1.
Result<void> validate(const PackedBinding& packed, std::size_t palette_size, Groups groups, const std::string& what);

}  // namespace pelt
