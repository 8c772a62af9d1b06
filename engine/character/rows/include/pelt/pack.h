// SPDX-License-Identifier: MIT
// Packs finished rows and rest geometry into the flat streams that shaders/blend/ reads.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include <pelt/frame.h>
#include <pelt/result.h>
#include <pelt/sparse_rows.h>

namespace pelt {

// The bind data of one mesh in the GPU's layout (decoding: shaders/blend/blend.h).
//
//   points      n x float3      rest position of vertex i, model space at bind, metres: its local point, unless groups
//                               have their own
//   directions  n x uint x 2    normal: octahedral snorm16 x 2; tangent: the same, lowest bit 1 if handedness is -1
//   slices      ceil(n/32)+1    first word of slice s in `influences`
//   influences  words           slice s holds 32 rows of one length, column-major: word k * 32 + r is influence k of
//                               row 32 s + r: palette entry in the low 16 bits, unorm16 weight in the high 16.
//                               Rows of one group have 2, 4, 8, 12, ... influences. Shorter rows, and rows past n, are
//                               filled with weight 0 at a valid index.
//   gradients   words           change of each weight across the surface: influence i in 16 bits of word i / 2, the low
//                               ones first: components along shared::tangent_basis of the packed normal, signed
//                               integers of 8 bits from -127 to 127; empty: no gradients
//   gradient_units  ceil(n/32)  unit of the gradients of slice s, 1/metres; 0: all of them are 0, and none is read;
//                               empty: no gradients
//   local_points  G x n x float4
//                               local points of groups that have their own, else empty: entry g n + i is the local
//                               point of vertex i in group g, model space at bind, metres, then the group's share;
//                               then G x n x 4 x float4 local frames (shared::LocalFrame), or none
//
// The integer weights of a row sum to exactly 65535. A row may hold several groups in sequence, each with weights that
// sum to 65535: deformers that are combined at the vertex. The gradients of each group sum to 0.
//
// With local points, every row holds G groups, at most kMaxLocalGroups, whose shares sum to 1. A group with share 0 at
// a vertex has one influence there, of an entry that is used elsewhere in the row. Gradients are those of share times
// weight, and sum to 0 over the row.
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

// Return the two parts of local_points. Precondition: the slices are valid.
std::span<const glm::vec4> group_points(const PackedBinding& packed);
std::span<const glm::vec4> local_frames(const PackedBinding& packed);

constexpr std::size_t kShortRow = 4;  // influences that the fastest blend can move
constexpr std::size_t kMaxLocalGroups = 8;
constexpr float kMaxShare = 64;  // largest magnitude of a share

enum class Groups {
  kOne,
  kSeveral,    // any number of groups per row
  kWithPoints  // as many groups as local_points has
};

struct RestGeometry {
  std::span<const glm::vec3> positions;
  std::span<const glm::vec3> normals;   // unit; same size as positions
  std::span<const glm::vec4> tangents;  // unit xyz, w = +1 or -1; empty: computed from the normals
};

// Converts weights to multiples of 1/65535 that sum to exactly 1, as pack stores them. Each weight is rounded, and the
// remainder is carried to the next palette entry: neighbours in the palette move alike, so the errors of a long row
// cancel instead of adding up, and weights below one step do not all vanish. Replaces `units`, in the row's order, and
// `by_index`, which sorts the row by palette entry. Precondition: weights are >= 0 and sum to about 1.
void quantise(std::span<const Influence> row, std::vector<std::uint32_t>& by_index, std::vector<std::uint32_t>& units);

// Raises each influence that has weight 0 but a gradient to one unit, taken from the strongest, as pack does in rows of
// several groups and with local points: after the group's other influences, one of weight 0 would count for the next
// group.
void keep_in_group(std::span<const glm::vec3> gradients, std::vector<std::uint32_t>& units);

// Sorts rows by their cost: first those of up to kShortRow influences without gradients, then the others without; each
// by length, longest first, within windows of 4096 rows, so that slices need little padding; ties keep their order.
// kPadded: more ties, so that rows that one morph target moves share slices. `order`: a permutation with the source row
// of each packed row; rows near each other in it stay near.
enum class RowOrder { kLength, kPadded };
void order_by_row_length(std::span<const SparseRows> groups, std::vector<std::uint32_t>& order,
                         RowOrder by = RowOrder::kLength);

// Packs the rows of `groups` (at least one) and `rest`. Packed row r is source row order[r]; `order` is a permutation
// (empty: the identity). `local_points`: one array per group, one point per vertex, or empty; with them, a group's row
// may be empty if its share is 0. `at_bind`: palette entries whose local points are not rest positions, at bind, others
// 0; for these, local frames make B the identity at bind. Gradients only turn normals: if one exceeds 1e12 per metre,
// all of its row are scaled down, and if one is not finite, all of its row become 0. Errors: kUnsupported if an index
// does not fit 16 bits or there are more than kMaxLocalGroups; kInvalidArgument if sizes differ or a vertex has no
// influence.
Result<PackedBinding> pack(std::span<const SparseRows> groups, const RestGeometry& rest,
                           std::span<const std::uint32_t> order,
                           std::span<const std::vector<glm::vec4>> local_points = {},
                           std::span<const Affine> at_bind = {});

// Returns the rows of the streams, without padding; weights are multiples of 1/65535. In groups with local points,
// weights are multiplied by the share, and groups of share 0 are left out.
SparseRows unpack_rows(const PackedBinding& packed);

// Returns the gradient of influence `at` (an index into `influences`) of row `row`, 1/metres, with the stored
// precision; 0 if the binding has no gradients.
glm::vec3 unpack_gradient(const PackedBinding& packed, std::size_t row, std::size_t at);

// Checks packed streams. Errors: kInvalidArgument, naming `what` and the row: sizes that disagree; slices that do not
// ascend or overrun; indices >= palette_size; weights that do not sum to 65535; gradients that do not sum to 0 or that
// belong to a weight of 0 among several groups; non-finite points; a group without its local point or frame; shares
// beyond kMaxShare or that do not sum to 1.
Result<void> validate(const PackedBinding& packed, std::size_t palette_size, Groups groups, const std::string& what);

}  // namespace pelt
