// SPDX-License-Identifier: MIT
// Adds morph targets to rest shapes. Multiplications and additions are not fused (CMakeLists.txt), so every processor
// gives the same bits.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <iterator>
#include <span>

#include "engine/character/evaluate/active_morphs.h"
#include "shaders/morph/morph.h"

// Compiled once per instruction set; the best one that the processor supports is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/character/evaluate/apply_morphs.cpp"
#include <hwy/foreach_target.h>

#include "engine/character/evaluate/slice_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::HWY_NAMESPACE {

// A column whose weight is not 0.
struct ActiveColumn {
  const std::uint32_t* words;
  float position_weight;   // times the column's unit
  float direction_weight;  // times kMorphDirectionUnit
};

// Adds to `sum` w times the integers in bits [kFirst, kFirst + kBits) of each word.
template <int kFirst, int kBits>
HWY_INLINE Vec add_bits(WordVec words, Vec w, Vec sum) {
  const auto bits = hn::BitCast(Integers(), words);
  const Vec value = hn::ConvertTo(Floats(), hn::ShiftRight<32 - kBits>(hn::ShiftLeft<32 - kFirst - kBits>(bits)));
  return sum + w * value;
}

HWY_INLINE Vec3 add_direction(WordVec word, Vec w, const Vec3& sum) {
  return {add_bits<0, 10>(word, w, sum.x), add_bits<10, 10>(word, w, sum.y), add_bits<20, 10>(word, w, sum.z)};
}

// Loads sums, or returns 0 to start them.
HWY_INLINE Vec3 load_sums(const float (*sums)[kRows], std::size_t row, bool start) {
  return start ? Vec3(Vec(0.0f)) : Vec3::load(sums, row);
}

// Adds columns to the sums of a slice, or starts the sums with them.
template <std::size_t kWords>
void add_columns(std::span<const ActiveColumn> columns, bool start, MorphSums& total) {
  const Words du;
  WordVec any_normal = hn::Zero(du), any_tangent = hn::Zero(du);
  for (std::size_t row = 0; row < kRows; row += kLanes) {
    Vec3 position = load_sums(total.sums, row, start), normal, tangent;
    if constexpr (kWords >= shared::kMorphNormalWords) normal = load_sums(total.sums + 3, row, start);
    if constexpr (kWords >= shared::kMorphTangentWords) tangent = load_sums(total.sums + 6, row, start);
    for (const ActiveColumn& column : columns) {
      const Vec w = column.position_weight;
      const WordVec xy = hn::LoadU(du, column.words + row);
      position = {add_bits<0, 16>(xy, w, position.x), add_bits<16, 16>(xy, w, position.y),
                  add_bits<0, 16>(hn::LoadU(du, column.words + kRows + row), w, position.z)};
      const Vec u = column.direction_weight;
      if constexpr (kWords >= shared::kMorphNormalWords) {
        const WordVec word = hn::LoadU(du, column.words + 2 * kRows + row);
        any_normal = hn::Or(any_normal, word);
        normal = add_direction(word, u, normal);
      }
      if constexpr (kWords >= shared::kMorphTangentWords) {
        const WordVec word = hn::LoadU(du, column.words + 3 * kRows + row);
        any_tangent = hn::Or(any_tangent, word);
        tangent = add_direction(word, u, tangent);
      }
    }
    position.store(total.sums, row);
    if constexpr (kWords >= shared::kMorphNormalWords) normal.store(total.sums + 3, row);
    if constexpr (kWords >= shared::kMorphTangentWords) tangent.store(total.sums + 6, row);
  }
  const auto is_any = [&](WordVec words) { return !hn::AllTrue(du, hn::Eq(words, hn::Zero(du))); };
  total.normals = is_any(any_normal) || (!start && total.normals);
  total.tangents = is_any(any_tangent) || (!start && total.tangents);
}

void add_columns(std::span<const ActiveColumn> columns, std::size_t row_words, bool start, MorphSums& total) {
  const auto add = row_words == shared::kMorphTangentWords  ? &add_columns<shared::kMorphTangentWords>
                   : row_words == shared::kMorphNormalWords ? &add_columns<shared::kMorphNormalWords>
                                                            : &add_columns<shared::kMorphPositionWords>;
  add(columns, start, total);
}

// Adds up the active columns of a slice.
void sum_slice(const PackedMorphs& morphs, const ActiveMorphs& active, std::size_t slice, MorphSums& total) {
  const std::size_t column_words = morphs.row_words * kRows;
  ActiveColumn columns[32];
  std::size_t count = 0;
  bool start = true;
  active.for_each_active(slice, [&](std::size_t column, std::size_t place, float weight) {
    if (count == std::size(columns)) {
      add_columns(columns, morphs.row_words, start, total);
      start = false;
      count = 0;
    }
    columns[count++] = {morphs.offsets.data() + place * column_words,
                        weight * std::bit_cast<float>(morphs.columns[column].y), weight * shared::kMorphDirectionUnit};
  });
  add_columns({columns, count}, morphs.row_words, start, total);
}

void sum_morphs(const PackedMorphs& morphs, const ActiveMorphs& active, SliceRange slices, MorphSums* sums) {
  for (std::size_t slice = slices.first; slice < slices.last; ++slice) {
    sum_slice(morphs, active, slice, sums[slice - slices.first]);
  }
}

// Adds an offset to packed unit vectors and repacks them (octahedral_from_unit accepts any length); a vector whose sum
// vanishes stays. `sums`: as above, from the row on.
HWY_INLINE WordVec turn(WordVec packed, const float (*sums)[kRows], std::size_t row) {
  const Vec3 decoded = decode_octahedral(packed);
  const Vec3 n = decoded + Vec3::load(sums, row) * length(decoded);
  const auto usable = hn::RebindMask(Words(), (dot(n, n) > 1e-12f).m);
  return hn::IfThenElse(usable, encode_octahedral(n), packed);
}

// Writes the rows of a slice. All arrays hold kRows rows.
void write_rows(const MorphSums& total, const float* points, const std::uint32_t* directions, float* to_points,
                std::uint32_t* to_directions) {
  const Floats d;
  const Words du;
  for (std::size_t row = 0; row < kRows; row += kLanes) {
    Vec3 p;
    hn::LoadInterleaved3(d, points + 3 * row, p.x.v, p.y.v, p.z.v);
    p += Vec3::load(total.sums, row);
    hn::StoreInterleaved3(p.x.v, p.y.v, p.z.v, d, to_points + 3 * row);
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

void apply_morphs(const MorphSums& sums, std::size_t slice, const PackedBinding& binding, glm::vec3* points,
                  glm::uvec2* directions) {
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
  write_rows(sums, &from_points->x, &from_directions->x, &points->x, &directions->x);
}

}  // namespace pelt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt {

HWY_EXPORT(sum_morphs);
HWY_EXPORT(apply_morphs);

void sum_morphs(const PackedMorphs& morphs, const ActiveMorphs& active, SliceRange slices, std::span<MorphSums> sums) {
  assert(sums.size() >= slices.last - slices.first);
  HWY_DYNAMIC_DISPATCH(sum_morphs)(morphs, active, slices, sums.data());
}

void apply_morphs(const MorphSums& sums, std::size_t slice, const PackedBinding& binding,
                  std::span<glm::vec3, shared::kSliceRows> points,
                  std::span<glm::uvec2, shared::kSliceRows> directions) {
  HWY_DYNAMIC_DISPATCH(apply_morphs)(sums, slice, binding, points.data(), directions.data());
}

}  // namespace pelt
#endif
