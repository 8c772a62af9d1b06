// SPDX-License-Identifier: MIT
// Adds morph targets to rest shapes. No multiplication is fused with an addition (CMakeLists.txt), so that every
// processor gives the same bits.
#include <hwy/cache_control.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <iterator>
#include <span>

#include "engine/binding/morphs.h"

// This file is compiled once for each instruction set; the best one that the processor has is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/binding/apply_morphs.cpp"
#include <hwy/foreach_target.h>

#include "engine/binding/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::HWY_NAMESPACE {

// A column whose weight is not 0.
struct ActiveColumn {
  const std::uint32_t* words;
  float position_weight;   // times the column's unit
  float direction_weight;  // times kMorphDirectionUnit
};

// What the targets add to the rows of a slice: positions, normals and tangents, each x, y and z.
struct MorphSums {
  alignas(64) float sums[9][kRows];
  bool normals = false;   // false: nothing
  bool tangents = false;  // as above
};

// Adds w times the integers in the bits [kFirst, kFirst + kBits) of each word to `sum`.
template <int kFirst, int kBits>
HWY_INLINE Vec add_bits(WordVec words, Vec w, Vec sum) {
  const auto bits = hn::BitCast(Integers(), words);
  const Vec value = hn::ConvertTo(Floats(), hn::ShiftRight<32 - kBits>(hn::ShiftLeft<32 - kFirst - kBits>(bits)));
  return hn::Add(sum, hn::Mul(w, value));
}

// Loads sums, or starts them.
HWY_INLINE Vec3 load_sums(const float (*sums)[kRows], std::size_t row, bool start) {
  const Floats d;
  if (start) return {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  return {hn::Load(d, sums[0] + row), hn::Load(d, sums[1] + row), hn::Load(d, sums[2] + row)};
}

HWY_INLINE void store_sums(const Vec3& v, float (*sums)[kRows], std::size_t row) {
  const Floats d;
  hn::Store(v.x, d, sums[0] + row);
  hn::Store(v.y, d, sums[1] + row);
  hn::Store(v.z, d, sums[2] + row);
}

void add_positions(std::span<const ActiveColumn> columns, bool start, float (*sums)[kRows]) {
  const Words du;
  for (std::size_t row = 0; row < kRows; row += kLanes) {
    Vec3 sum = load_sums(sums, row, start);
    for (const ActiveColumn& column : columns) {
      const Vec w = hn::Set(Floats(), column.position_weight);
      const WordVec xy = hn::LoadU(du, column.words + row);
      sum = {add_bits<0, 16>(xy, w, sum.x), add_bits<16, 16>(xy, w, sum.y),
             add_bits<0, 16>(hn::LoadU(du, column.words + kRows + row), w, sum.z)};
    }
    store_sums(sum, sums, row);
  }
}

// Adds the offsets of directions, whose words begin with word `first` of a row. Returns true if one is not 0.
bool add_directions(std::span<const ActiveColumn> columns, std::size_t first, bool start, float (*sums)[kRows]) {
  const Words du;
  WordVec any = hn::Zero(du);
  for (std::size_t row = 0; row < kRows; row += kLanes) {
    Vec3 sum = load_sums(sums, row, start);
    for (const ActiveColumn& column : columns) {
      const Vec w = hn::Set(Floats(), column.direction_weight);
      const WordVec word = hn::LoadU(du, column.words + first * kRows + row);
      any = hn::Or(any, word);
      sum = {add_bits<0, 10>(word, w, sum.x), add_bits<10, 10>(word, w, sum.y), add_bits<20, 10>(word, w, sum.z)};
    }
    store_sums(sum, sums, row);
  }
  return !hn::AllTrue(du, hn::Eq(any, hn::Zero(du)));
}

// Calls visit(column) for each active column of a slice.
template <class Visit>
HWY_INLINE void for_each_active(const PackedMorphs& morphs, const float* weights, std::size_t slice,
                                const Visit& visit) {
  const std::size_t column_words = morphs.row_words * kRows;
  for (std::size_t c = morphs.slices[slice]; c < morphs.slices[slice + 1]; ++c) {
    const float weight = weights[morphs.columns[c].x];
    if (weight == 0) continue;
    visit(ActiveColumn{morphs.offsets.data() + c * column_words, weight * std::bit_cast<float>(morphs.columns[c].y),
                       weight * shared::kMorphDirectionUnit});
  }
}

// Adds the active columns of a slice.
void add_columns(const PackedMorphs& morphs, const float* weights, std::size_t slice, MorphSums& total) {
  ActiveColumn active[32];
  std::size_t count = 0;
  bool start = true;
  const auto add = [&] {
    const std::span<const ActiveColumn> columns(active, count);
    add_positions(columns, start, total.sums);
    if (morphs.row_words >= shared::kMorphNormalWords) {
      total.normals |= add_directions(columns, 2, start, total.sums + 3);
    }
    if (morphs.row_words >= shared::kMorphTangentWords) {
      total.tangents |= add_directions(columns, 3, start, total.sums + 6);
    }
    start = false;
    count = 0;
  };
  for_each_active(morphs, weights, slice, [&](const ActiveColumn& column) {
    if (count == std::size(active)) add();
    active[count++] = column;
  });
  add();
}

// Asks for the memory of a slice's active columns ahead of its use.
void prefetch_columns(const PackedMorphs& morphs, const float* weights, std::size_t slice) {
  constexpr std::size_t kLine = 64 / sizeof(std::uint32_t);
  const std::size_t column_words = morphs.row_words * kRows;
  for_each_active(morphs, weights, slice, [&](const ActiveColumn& column) {
    for (std::size_t word = 0; word < column_words; word += kLine) hwy::Prefetch(column.words + word);
  });
}

// Adds an offset to packed unit vectors and packs them again (octahedral_from_unit, whose input may have any length);
// a vector that vanishes stays. `sums`: as above, from the row on.
HWY_INLINE WordVec turn(WordVec packed, const float (*sums)[kRows], std::size_t row) {
  const Floats d;
  const Integers di;
  const Vec one = hn::Set(d, 1.0f);
  const auto squared = [](const Vec3& v) {
    return hn::Add(hn::Add(hn::Mul(v.x, v.x), hn::Mul(v.y, v.y)), hn::Mul(v.z, v.z));
  };
  const Vec3 decoded = decode_octahedral(packed);
  const Vec3 offset = scale(load_sums(sums, row, false), hn::Sqrt(squared(decoded)));
  const Vec3 n = {hn::Add(decoded.x, offset.x), hn::Add(decoded.y, offset.y), hn::Add(decoded.z, offset.z)};
  const Vec ax = hn::Abs(n.x), ay = hn::Abs(n.y), az = hn::Abs(n.z);
  const Vec inverse = hn::Div(one, hn::Add(hn::Add(ax, ay), az));
  const auto below = hn::Lt(n.z, hn::Zero(d));
  const Vec x = hn::IfThenElse(below, hn::CopySign(hn::Sub(one, hn::Mul(ay, inverse)), n.x), hn::Mul(n.x, inverse));
  const Vec y = hn::IfThenElse(below, hn::CopySign(hn::Sub(one, hn::Mul(ax, inverse)), n.y), hn::Mul(n.y, inverse));
  const Vec steps = hn::Set(d, 32767.0f);
  const auto low = hn::And(hn::NearestInt(hn::Mul(x, steps)), hn::Set(di, 0xFFFF));
  const auto high = hn::ShiftLeft<16>(hn::NearestInt(hn::Mul(y, steps)));
  const auto usable = hn::RebindMask(di, hn::Gt(squared(n), hn::Set(d, 1e-12f)));
  return hn::BitCast(Words(), hn::IfThenElse(usable, hn::Or(low, high), hn::BitCast(di, packed)));
}

// Writes the rows of a slice. All arrays hold kRows rows.
void write_rows(const MorphSums& total, const float* points, const std::uint32_t* directions, float* to_points,
                std::uint32_t* to_directions) {
  const Floats d;
  const Words du;
  for (std::size_t row = 0; row < kRows; row += kLanes) {
    Vec3 p;
    hn::LoadInterleaved3(d, points + 3 * row, p.x, p.y, p.z);
    hn::StoreInterleaved3(hn::Add(p.x, hn::Load(d, total.sums[0] + row)),
                          hn::Add(p.y, hn::Load(d, total.sums[1] + row)),
                          hn::Add(p.z, hn::Load(d, total.sums[2] + row)), d, to_points + 3 * row);
    WordVec normal, tangent;
    hn::LoadInterleaved2(du, directions + 2 * row, normal, tangent);
    if (total.normals) normal = turn(normal, total.sums + 3, row);
    if (total.tangents) {
      // The lowest bit of a tangent is its handedness.
      const WordVec one = hn::Set(du, 1u);
      tangent = hn::OrAnd(hn::AndNot(one, turn(hn::AndNot(one, tangent), total.sums + 6, row)), tangent, one);
    }
    hn::StoreInterleaved2(normal, tangent, du, to_directions + 2 * row);
  }
}

void apply_morphs(const PackedMorphs& morphs, const float* weights, std::size_t slice, const PackedBinding& binding,
                  glm::vec3* points, glm::uvec2* directions) {
  if (slice + 2 < morphs.slices.size()) prefetch_columns(morphs, weights, slice + 1);
  MorphSums total;
  add_columns(morphs, weights, slice, total);
  const std::size_t first = slice * kRows;
  const std::size_t rows = std::min(kRows, binding.points.size() - first);
  const glm::vec3* from_points = &binding.points[first];
  const glm::uvec2* from_directions = &binding.directions[first];
  if (rows < kRows) {
    std::copy_n(from_points, rows, points);
    std::copy_n(from_directions, rows, directions);
    from_points = points;
    from_directions = directions;
  }
  write_rows(total, &from_points->x, &from_directions->x, &points->x, &directions->x);
}

}  // namespace pelt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt {

HWY_EXPORT(apply_morphs);

void apply_morphs(const PackedMorphs& morphs, const float* weights, std::size_t slice, const PackedBinding& binding,
                  std::span<glm::vec3, shared::kSliceRows> points,
                  std::span<glm::uvec2, shared::kSliceRows> directions) {
  HWY_DYNAMIC_DISPATCH(apply_morphs)(morphs, weights, slice, binding, points.data(), directions.data());
}

}  // namespace pelt
#endif
