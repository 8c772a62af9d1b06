// SPDX-License-Identifier: MIT
#include "engine/binding/blend.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <glm/gtc/type_ptr.hpp>
#include <iterator>

#include "shaders/blend/blend.h"
#include "shaders/morph/morph.h"

// This file is compiled once for each instruction set; the best one that the processor has is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/binding/blend.cpp"
#include <hwy/foreach_target.h>

#include "engine/binding/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::HWY_NAMESPACE {

constexpr std::size_t kLineFloats = sizeof(PaletteLine) / sizeof(float);
constexpr std::size_t kDecoded = 16;  // influences of a row that are decoded at a time; fits the first-level cache
constexpr std::size_t kLineVectors = (12 + kLanes - 1) / kLanes;  // vectors that hold the three rows of a line

HWY_INLINE Vec dot(const Vec3& a, const Vec3& b) {
  return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z)));
}

HWY_INLINE Vec3 cross(const Vec3& a, const Vec3& b) {
  return {hn::NegMulAdd(a.z, b.y, hn::Mul(a.y, b.z)), hn::NegMulAdd(a.x, b.z, hn::Mul(a.z, b.x)),
          hn::NegMulAdd(a.y, b.x, hn::Mul(a.x, b.y))};
}

// Returns a + b s.
HWY_INLINE Vec3 add(const Vec3& a, const Vec3& b, Vec s) {
  return {hn::MulAdd(b.x, s, a.x), hn::MulAdd(b.y, s, a.y), hn::MulAdd(b.z, s, a.z)};
}

HWY_INLINE Vec inverse_sqrt(Vec v) {
#if HWY_ARCH_X86
  // The estimate has at least 12 bits; one step of Newton's method brings it to rounding.
  const Floats d;
  const Vec e = hn::ApproximateReciprocalSqrt(v);
  const Vec half_v_e = hn::Mul(hn::Mul(v, hn::Set(d, 0.5f)), e);
  return hn::Mul(e, hn::NegMulAdd(half_v_e, e, hn::Set(d, 1.5f)));
#else
  return hn::Div(hn::Set(Floats(), 1.0f), hn::Sqrt(v));
#endif
}

// The columns a, b, c and the origin o of one frame in each lane.
struct Frames {
  Vec3 a, b, c, o;
};

// Returns a v.x + b v.y + c v.z; the second form adds o.
HWY_INLINE Vec3 map(const Frames& f, const Vec3& v) {
  return {hn::MulAdd(f.a.x, v.x, hn::MulAdd(f.b.x, v.y, hn::Mul(f.c.x, v.z))),
          hn::MulAdd(f.a.y, v.x, hn::MulAdd(f.b.y, v.y, hn::Mul(f.c.y, v.z))),
          hn::MulAdd(f.a.z, v.x, hn::MulAdd(f.b.z, v.y, hn::Mul(f.c.z, v.z)))};
}
HWY_INLINE Vec3 map(const Frames& f, const Vec3& v, const Vec3& o) {
  return {hn::MulAdd(f.a.x, v.x, hn::MulAdd(f.b.x, v.y, hn::MulAdd(f.c.x, v.z, o.x))),
          hn::MulAdd(f.a.y, v.x, hn::MulAdd(f.b.y, v.y, hn::MulAdd(f.c.y, v.z, o.y))),
          hn::MulAdd(f.a.z, v.x, hn::MulAdd(f.b.z, v.y, hn::MulAdd(f.c.z, v.z, o.z)))};
}

// Transposes blended lines of kLanes consecutive vertices to one vertex in each lane.
HWY_INLINE void transpose_row(const Vec r[4], Vec& x, Vec& y, Vec& z, Vec& w) {
  // r[v] holds, in its 128-bit block b, the row of vertex 4 b + v.
  const hn::Repartition<std::uint64_t, Floats> pairs;
  const Floats d;
  const auto xy01 = hn::BitCast(pairs, hn::InterleaveLower(d, r[0], r[1]));
  const auto xy23 = hn::BitCast(pairs, hn::InterleaveLower(d, r[2], r[3]));
  const auto zw01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r[0], r[1]));
  const auto zw23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r[2], r[3]));
  x = hn::BitCast(d, hn::InterleaveLower(pairs, xy01, xy23));
  y = hn::BitCast(d, hn::InterleaveUpper(pairs, xy01, xy23));
  z = hn::BitCast(d, hn::InterleaveLower(pairs, zw01, zw23));
  w = hn::BitCast(d, hn::InterleaveUpper(pairs, zw01, zw23));
}

// The blended frames of a slice's rows, each stored like a PaletteLine.
struct Lines {
  const float* lines;

  // Loads floats [first, ...) of line v.
  template <class D>
  HWY_INLINE hn::Vec<D> load(D d, std::size_t v, std::size_t first) const {
    return hn::Load(d, lines + v * kLineFloats + first);
  }
};

// Loads lines 0 to kLanes - 1.
HWY_INLINE Frames load_frames(const Lines& source) {
  const Floats d;
  Vec row0[4], row1[4], row2[4];
  for (std::size_t v = 0; v < 4; ++v) {
#if HWY_MAX_BYTES >= 64
    // Lines of vertices v, v + 4, v + 8, v + 12: a 4 x 4 transposition of blocks.
    const Vec l0 = source.load(d, v, 0), l1 = source.load(d, v + 4, 0);
    const Vec l2 = source.load(d, v + 8, 0), l3 = source.load(d, v + 12, 0);
    const Vec low02 = hn::ConcatLowerLower(d, l2, l0), low13 = hn::ConcatLowerLower(d, l3, l1);
    const Vec high02 = hn::ConcatUpperUpper(d, l2, l0), high13 = hn::ConcatUpperUpper(d, l3, l1);
    row0[v] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(low13), low02);
    row1[v] = hn::OddEvenBlocks(low13, hn::SwapAdjacentBlocks(low02));
    row2[v] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(high13), high02);
#elif HWY_MAX_BYTES == 32
    const Vec l0 = source.load(d, v, 0), l1 = source.load(d, v + 4, 0);
    const hn::Half<Floats> half;
    row0[v] = hn::ConcatLowerLower(d, l1, l0);
    row1[v] = hn::ConcatUpperUpper(d, l1, l0);
    row2[v] = hn::Combine(d, source.load(half, v + 4, 8), source.load(half, v, 8));
#else
    row0[v] = source.load(d, v, 0);
    row1[v] = source.load(d, v, 4);
    row2[v] = source.load(d, v, 8);
#endif
  }
  Frames f;
  transpose_row(row0, f.a.x, f.b.x, f.c.x, f.o.x);
  transpose_row(row1, f.a.y, f.b.y, f.c.y, f.o.y);
  transpose_row(row2, f.a.z, f.b.z, f.c.z, f.o.z);
  return f;
}

// The influences of a slice and their gradients (or null), column-major.
struct Columns {
  const std::uint32_t* words;
  const std::uint16_t* gradients;  // in the layout of shared::gradient_steps

  Columns from(std::size_t influence) const {
    return {words + influence * kRows, gradients == nullptr ? nullptr : gradients + influence * kRows};
  }
};

constexpr std::size_t kSums = 3;  // sums of a row: its frame, and the frame's changes along e and f
constexpr std::size_t kSumFloats = kRows * kLineFloats;

// Adds influences [0, count) of a slice's rows to their lines, or starts the lines. The line of row r is at lines + r *
// kLineFloats; its changes along e and f are kSumFloats and 2 kSumFloats behind it. `count` is a constant where speed
// matters.
template <bool kGradients>
HWY_INLINE void add_influences(Columns columns, std::size_t count, bool start, const PaletteLine* HWY_RESTRICT palette,
                               float* HWY_RESTRICT lines) {
  constexpr std::size_t kUsed = kGradients ? kSums : 1;
  const Floats d;
  const Words du;
  const Integers di;
  alignas(64) float weights[kUsed][kDecoded * kRows];
  alignas(64) std::uint32_t offsets[kDecoded * kRows];  // bytes from the palette's start
  const auto* base = reinterpret_cast<const char*>(palette);
  for (std::size_t i = 0; i < count * kRows; i += kLanes) {
    const WordVec word = hn::LoadU(du, columns.words + i);
    hn::Store(hn::ConvertTo(d, hn::BitCast(di, hn::ShiftRight<16>(word))), d, weights[0] + i);
    hn::Store(hn::ShiftLeft<6>(hn::And(word, hn::Set(du, 0xFFFFu))), du, offsets + i);
    if constexpr (kGradients) {
      const hn::Rebind<std::uint16_t, Floats> halves;
      const auto steps = hn::BitCast(di, hn::PromoteTo(du, hn::LoadU(halves, columns.gradients + i)));
      hn::Store(hn::ConvertTo(d, hn::ShiftRight<24>(hn::ShiftLeft<24>(steps))), d, weights[1] + i);
      hn::Store(hn::ConvertTo(d, hn::ShiftRight<24>(hn::ShiftLeft<16>(steps))), d, weights[2] + i);
    }
  }
  for (std::size_t row = 0; row < kRows; ++row) {
    float* line = lines + row * kLineFloats;
    Vec sum[kUsed][kLineVectors];
    for (std::size_t s = 0; s < kUsed; ++s) {
      for (std::size_t p = 0; p < kLineVectors; ++p) {
        sum[s][p] = start ? hn::Zero(d) : hn::Load(d, line + s * kSumFloats + p * kLanes);
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
      const auto* entry = reinterpret_cast<const float*>(base + offsets[k * kRows + row]);
      Vec weight[kUsed];
      for (std::size_t s = 0; s < kUsed; ++s) weight[s] = hn::Set(d, weights[s][k * kRows + row]);
      for (std::size_t p = 0; p < kLineVectors; ++p) {
        const Vec part = hn::Load(d, entry + p * kLanes);
        for (std::size_t s = 0; s < kUsed; ++s) sum[s][p] = hn::MulAdd(weight[s], part, sum[s][p]);
      }
    }
    for (std::size_t s = 0; s < kUsed; ++s) {
      for (std::size_t p = 0; p < kLineVectors; ++p) hn::Store(sum[s][p], d, line + s * kSumFloats + p * kLanes);
    }
  }
}

// A function that blends the rows of a slice into lines.
using Accumulate = void (*)(Columns columns, std::size_t influences, const PaletteLine* palette, float* lines);

template <bool kGradients, std::size_t kInfluences>
void accumulate(Columns columns, std::size_t, const PaletteLine* palette, float* lines) {
  add_influences<kGradients>(columns, kInfluences, true, palette, lines);
}

template <bool kGradients>
void accumulate_many(Columns columns, std::size_t influences, const PaletteLine* palette, float* lines) {
  for (std::size_t begin = 0; begin < influences; begin += kDecoded) {
    const std::size_t count = std::min(kDecoded, influences - begin);
    add_influences<kGradients>(columns.from(begin), count, begin == 0, palette, lines);
  }
}

template <bool kGradients>
Accumulate accumulate_for(std::size_t influences) {
  constexpr Accumulate kByCount[] = {
      &accumulate_many<kGradients>, &accumulate<kGradients, 1>, &accumulate<kGradients, 2>,
      &accumulate<kGradients, 3>,   &accumulate<kGradients, 4>, &accumulate<kGradients, 5>,
      &accumulate<kGradients, 6>,   &accumulate<kGradients, 7>, &accumulate<kGradients, 8>};
  return kByCount[influences < std::size(kByCount) ? influences : 0];
}

// The normal and tangent of one vertex by the shared scalar rule, where the fast path fails.
struct Directions {
  glm::vec3 normal;
  glm::vec3 tangent;
};
Directions decide_directions(const glm::mat3& axes, const PaletteLine& strongest, glm::uvec2 packed) {
  const Affine turn(strongest.rows[0], strongest.rows[1], strongest.rows[2]);
  const glm::mat3 rotation = shared::orthonormal_axes(affine_axes(turn) * (1.0f / shared::kWeightUnit));
  const glm::vec3 normal = shared::blended_normal(axes, shared::unpack_normal(packed.x), rotation);
  const glm::vec3 rest_tangent(shared::unpack_tangent(packed.y));
  return {normal, shared::blended_tangent(axes, rest_tangent, normal, rotation)};
}

// Inputs and outputs of the last slice; they are kRows long even if the mesh ends earlier.
struct SliceStage {
  alignas(64) float points[3 * kRows];
  alignas(64) std::uint32_t directions[2 * kRows];
  alignas(64) std::uint32_t bases[2 * kRows];
  alignas(64) float positions[3 * kRows];
  alignas(64) float normals[3 * kRows];
  alignas(64) float tangents[4 * kRows];
};

// Adds to the axes of kLanes frames how their points move where weights change (frame_with_passage in
// shaders/blend/blend.h). `unit`: unit of the gradients times kWeightUnits, by which the palette's lines are divided.
HWY_INLINE void add_passage(const float* HWY_RESTRICT lines, const Vec3& point, WordVec normal_word, const Vec3& normal,
                            float unit, Frames& f) {
  const Floats d;
  const Integers di;
  // As shared::tangent_basis.
  const auto bits = hn::BitCast(di, normal_word);
  const auto x = hn::Abs(hn::ShiftRight<16>(hn::ShiftLeft<16>(bits)));
  const auto y = hn::Abs(hn::ShiftRight<16>(bits));
  const auto whole = hn::Set(di, 32767);
  const auto unfolded = hn::IfThenElse(hn::Gt(hn::Add(x, y), whole), hn::Sub(whole, y), x);
  const auto along_x = hn::RebindMask(d, hn::Gt(unfolded, hn::Set(di, shared::kTangentTurn - 1)));
  const Vec3 to_x = {hn::Zero(d), normal.z, hn::Neg(normal.y)};  // normal x (1, 0, 0)
  const Vec3 to_y = {hn::Neg(normal.z), hn::Zero(d), normal.x};  // normal x (0, 1, 0)
  const Vec3 across = {hn::IfThenElse(along_x, to_y.x, to_x.x), hn::IfThenElse(along_x, to_y.y, to_x.y),
                       hn::IfThenElse(along_x, to_y.z, to_x.z)};
  const Vec3 e = scale(across, inverse_sqrt(dot(across, across)));
  const Vec3 directions[] = {e, cross(normal, e)};
  for (std::size_t k = 0; k < 2; ++k) {
    const Frames change = load_frames(Lines{lines + (k + 1) * kSumFloats});
    const Vec3 step = scale(map(change, point, change.o), hn::Set(d, unit));
    f.a = add(f.a, step, directions[k].x);
    f.b = add(f.b, step, directions[k].y);
    f.c = add(f.c, step, directions[k].z);
  }
}

// Stores, as lines, frames with the axes of `f` that map `point` to `moved`.
void store_frames(const Frames& f, const Vec3& point, const Vec3& moved, float* HWY_RESTRICT lines) {
  const Floats d;
  const Vec3 turned = map(f, point);
  const Vec3 o = {hn::Sub(moved.x, turned.x), hn::Sub(moved.y, turned.y), hn::Sub(moved.z, turned.z)};
  alignas(64) float rows[3][4 * kLanes];
  hn::StoreInterleaved4(f.a.x, f.b.x, f.c.x, o.x, d, rows[0]);
  hn::StoreInterleaved4(f.a.y, f.b.y, f.c.y, o.y, d, rows[1]);
  hn::StoreInterleaved4(f.a.z, f.b.z, f.c.z, o.z, d, rows[2]);
  for (std::size_t v = 0; v < kLanes; ++v) {
    for (std::size_t row = 0; row < 3; ++row) {
      std::memcpy(lines + v * kLineFloats + 4 * row, rows[row] + 4 * v, 4 * sizeof(float));
    }
  }
}

// Returns `direction` plus `offset` times its length. Raises `longest` to the square of what comes out, so that tests
// of lengths stay with those of the shared rule, which takes unit directions.
HWY_INLINE Vec3 turned(const Vec3& direction, const Vec3& offset, Vec& longest) {
  const Vec squared = dot(direction, direction);
  const Vec3 sum = add(direction, offset, hn::Mul(squared, inverse_sqrt(squared)));
  longest = hn::Max(longest, dot(sum, sum));
  return sum;
}

// What morph targets add to the rows of a slice from `row` on, or nothing.
struct RowSums {
  const MorphSums* slice;  // null: nothing
  std::size_t row;

  HWY_INLINE bool turn_normals() const { return slice != nullptr && slice->normals; }
  HWY_INLINE bool turn_tangents() const { return slice != nullptr && slice->tangents; }

  // Loads the sums `first`, `first` + 1 and `first` + 2 of MorphSums.
  HWY_INLINE Vec3 load(std::size_t first) const {
    const Floats d;
    return {hn::Load(d, slice->sums[first] + row), hn::Load(d, slice->sums[first + 1] + row),
            hn::Load(d, slice->sums[first + 2] + row)};
  }
  glm::vec3 of_lane(std::size_t first, std::size_t v) const {
    return {slice->sums[first][row + v], slice->sums[first + 1][row + v], slice->sums[first + 2][row + v]};
  }

  HWY_INLINE Vec3 moved(const Vec3& point) const {
    if (slice == nullptr) return point;
    const Vec3 offset = load(0);
    return {hn::Add(point.x, offset.x), hn::Add(point.y, offset.y), hn::Add(point.z, offset.z)};
  }
  // Returns the packed directions of lane v after the targets.
  glm::uvec2 turned_directions(glm::uvec2 directions, std::size_t v) const {
    shared::MorphSum sum = shared::morph_begin();
    if (turn_normals()) sum.normal = of_lane(3, v);
    if (turn_tangents()) sum.tangent = of_lane(6, v);
    return slice == nullptr ? directions : shared::morphed_directions(sum, directions);
  }
};

// Replaces the directions of the lanes that have not passed.
template <bool kTangents>
HWY_INLINE void decide_directions(const Frames& f, const std::uint32_t* passed, const std::uint32_t* directions,
                                  const RowSums& sums, const std::uint32_t* first_words, const PaletteLine* palette,
                                  float* normals, float* tangents) {
  const Floats d;
  alignas(64) float axes[3][3][kLanes];
  const Vec3* columns[3] = {&f.a, &f.b, &f.c};
  for (std::size_t c = 0; c < 3; ++c) {
    hn::Store(columns[c]->x, d, axes[c][0]);
    hn::Store(columns[c]->y, d, axes[c][1]);
    hn::Store(columns[c]->z, d, axes[c][2]);
  }
  for (std::size_t v = 0; v < kLanes; ++v) {
    if (passed[v] != 0) continue;
    const glm::mat3 frame_axes(axes[0][0][v], axes[0][1][v], axes[0][2][v], axes[1][0][v], axes[1][1][v], axes[1][2][v],
                               axes[2][0][v], axes[2][1][v], axes[2][2][v]);
    const Directions decided = decide_directions(frame_axes, palette[shared::influence_index(first_words[v])],
                                                 sums.turned_directions({directions[2 * v], directions[2 * v + 1]}, v));
    std::memcpy(normals + 3 * v, &decided.normal, sizeof decided.normal);
    if constexpr (kTangents) std::memcpy(tangents + 4 * v, &decided.tangent, sizeof decided.tangent);
  }
}

// Moves kLanes rows of a slice. With gradients and `keep_frames`, replaces `lines` by the frames that include them.
// `bases`: packed directions whose normals the gradients' tangent bases are made of. `sums`: what is added to points
// and directions first. `unit`: of the gradients, 1/metres.
template <bool kNormals, bool kTangents, bool kGradients>
HWY_INLINE void transform(float* HWY_RESTRICT lines, const float* HWY_RESTRICT points, const std::uint32_t* directions,
                          const std::uint32_t* bases, const RowSums& sums, const std::uint32_t* first_words, float unit,
                          bool keep_frames, const PaletteLine* palette, float* HWY_RESTRICT positions,
                          float* HWY_RESTRICT normals, float* HWY_RESTRICT tangents) {
  const Floats d;
  const Words du;
  Frames f = load_frames(Lines{lines});
  Vec3 p;
  hn::LoadInterleaved3(d, points, p.x, p.y, p.z);
  p = sums.moved(p);
  const Vec3 moved = map(f, p, f.o);
  hn::StoreInterleaved3(moved.x, moved.y, moved.z, d, positions);
  WordVec normal_word, tangent_word;
  Vec3 n;
  if constexpr (kGradients) {
    hn::LoadInterleaved2(du, bases, normal_word, tangent_word);
    n = decode_octahedral(normal_word);
    const Vec3 unit_n = scale(n, inverse_sqrt(dot(n, n)));
    add_passage(lines, p, normal_word, unit_n, unit * static_cast<float>(shared::kWeightUnits), f);
    if (keep_frames) store_frames(f, p, moved, lines);
  }
  if constexpr (kNormals) {
    if (!kGradients || directions != bases) {
      hn::LoadInterleaved2(du, directions, normal_word, tangent_word);
      n = decode_octahedral(normal_word);
    }
    Vec longest = hn::Set(d, 1.0f);
    if (sums.turn_normals()) n = turned(n, sums.load(3), longest);
    // The cofactors times n, n.x (b x c) + n.y (c x a) + n.z (a x b), as b x (n.x c - n.z a) + n.y (c x a).
    const Vec3 across_b = {hn::NegMulAdd(f.a.x, n.z, hn::Mul(f.c.x, n.x)),
                           hn::NegMulAdd(f.a.y, n.z, hn::Mul(f.c.y, n.x)),
                           hn::NegMulAdd(f.a.z, n.z, hn::Mul(f.c.z, n.x))};
    const Vec3 normal = add(cross(f.b, across_b), cross(f.c, f.a), n.y);
    const Vec squared = dot(normal, normal);
    // A vector that passes this test passes the shared rule's, since rest directions are no longer than it says.
    const Vec size = hn::Add(dot(f.a, f.a), hn::Add(dot(f.b, f.b), dot(f.c, f.c)));
    const Vec least = hn::Set(d, shared::kMinDirection), no_less = hn::Set(d, 1e-30f);
    auto usable = hn::Gt(squared, hn::Max(hn::Mul(hn::Mul(size, size), hn::Mul(least, longest)), no_less));
    const Vec3 unit_normal = scale(normal, inverse_sqrt(squared));
    hn::StoreInterleaved3(unit_normal.x, unit_normal.y, unit_normal.z, d, normals);
    if constexpr (kTangents) {
      Vec3 rest_tangent = decode_octahedral(hn::AndNot(hn::Set(du, 1u), tangent_word));
      longest = hn::Set(d, 1.0f);
      if (sums.turn_tangents()) rest_tangent = turned(rest_tangent, sums.load(6), longest);
      const Vec3 t = map(f, rest_tangent);
      const Vec along = dot(unit_normal, t);
      const Vec3 across = {hn::NegMulAdd(unit_normal.x, along, t.x), hn::NegMulAdd(unit_normal.y, along, t.y),
                           hn::NegMulAdd(unit_normal.z, along, t.z)};
      const Vec squared_tangent = dot(across, across);
      usable = hn::And(usable, hn::Gt(squared_tangent, hn::Max(hn::Mul(size, hn::Mul(least, longest)), no_less)));
      if (sums.turn_normals() || sums.turn_tangents()) {
        // The shaders pack what targets have turned. Where a normal and a tangent nearly agree, that shows.
        usable = hn::And(usable, hn::Gt(squared_tangent, hn::Mul(dot(t, t), hn::Set(d, 0.05f))));
      }
      const Vec3 tangent = scale(across, inverse_sqrt(squared_tangent));
      // Move the word's lowest bit to the sign of 1.
      const auto handedness = hn::Or(hn::BitCast(d, hn::ShiftLeft<31>(tangent_word)), hn::Set(d, 1.0f));
      hn::StoreInterleaved4(tangent.x, tangent.y, tangent.z, handedness, d, tangents);
    }
    if (HWY_UNLIKELY(!hn::AllTrue(d, usable))) {
      alignas(64) std::uint32_t passed[kLanes];
      hn::Store(hn::BitCast(du, hn::VecFromMask(d, usable)), du, passed);
      decide_directions<kTangents>(f, passed, directions, sums, first_words, palette, normals, tangents);
    }
  }
}

const std::uint16_t* steps_of(const PackedBinding& binding) {
  return reinterpret_cast<const std::uint16_t*>(binding.gradients.data());
}

template <bool kNormals, bool kTangents>
void blend_slices(const PackedBinding& binding, RestShape rest, SliceRange slices, const PaletteLine* palette,
                  const BlendOutputs& out) {
  const bool gradients = !binding.gradients.empty() && (kNormals || out.frames != nullptr);
  SliceStage stage{};
  alignas(64) float lines[kSums * kSumFloats];
  for (std::size_t slice = slices.first; slice < slices.last; ++slice) {
    const std::size_t first_row = slice * kRows;
    const std::size_t rows = std::min(kRows, binding.points.size() - first_row);
    const std::uint32_t* words = binding.influences.data() + binding.slices[slice];
    const Columns columns{words, gradients ? steps_of(binding) + binding.slices[slice] : nullptr};
    const std::size_t influences = (binding.slices[slice + 1] - binding.slices[slice]) / kRows;
    const Accumulate blend_rows = gradients ? accumulate_for<true>(influences) : accumulate_for<false>(influences);
    const float* points = &rest.point(first_row).x;
    const std::uint32_t* directions = &rest.direction(first_row).x;
    const std::uint32_t* bases = &binding.directions[first_row].x;
    const MorphSums* sums = rest.sums == nullptr ? nullptr : &rest.sums[slice - slices.first];
    if (rows < kRows) {
      std::memcpy(stage.points, points, rows * sizeof(glm::vec3));
      std::memcpy(stage.directions, directions, rows * sizeof(glm::uvec2));
      std::memcpy(stage.bases, bases, rows * sizeof(glm::uvec2));
      points = stage.points;
      directions = stage.directions;
      bases = stage.bases;
    }
    float* to_positions = &out.positions[first_row].x;
    float* to_normals = kNormals ? &out.normals[first_row].x : nullptr;
    float* to_tangents = kTangents ? &out.tangents[first_row].x : nullptr;
    float* positions = rows < kRows ? stage.positions : to_positions;
    float* normals = rows < kRows ? stage.normals : to_normals;
    float* tangents = rows < kRows ? stage.tangents : to_tangents;

    // Blend all rows first: independent rows hide each other's latency.
    blend_rows(columns, influences, palette, lines);
    for (std::size_t row = 0; row < rows; row += kLanes) {
      if (gradients) {
        transform<kNormals, kTangents, true>(lines + row * kLineFloats, points + 3 * row, directions + 2 * row,
                                             bases + 2 * row, {sums, row}, words + row, binding.gradient_units[slice],
                                             out.frames != nullptr, palette, positions + 3 * row, normals + 3 * row,
                                             tangents + 4 * row);
      } else {
        transform<kNormals, kTangents, false>(lines + row * kLineFloats, points + 3 * row, directions + 2 * row,
                                              bases + 2 * row, {sums, row}, words + row, 0, false, palette,
                                              positions + 3 * row, normals + 3 * row, tangents + 4 * row);
      }
    }
    for (std::size_t row = 0; out.frames != nullptr && row < rows; ++row) {
      out.frames[first_row + row] = glm::make_mat3x4(lines + row * kLineFloats);
    }

    if (rows < kRows) {
      std::memcpy(to_positions, positions, rows * sizeof(glm::vec3));
      if (kNormals) std::memcpy(to_normals, normals, rows * sizeof(glm::vec3));
      if (kTangents) std::memcpy(to_tangents, tangents, rows * sizeof(glm::vec4));
    }
  }
}

void blend_linear(const PackedBinding& binding, RestShape rest, SliceRange slices, const PaletteLine* palette,
                  const BlendOutputs& out) {
  const auto function = out.tangents != nullptr  ? &blend_slices<true, true>
                        : out.normals != nullptr ? &blend_slices<true, false>
                                                 : &blend_slices<false, false>;
  function(binding, rest, slices, palette, out);
}

}  // namespace pelt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt {

HWY_EXPORT(blend_linear);

void make_palette_lines(std::span<const Affine> palette, std::span<PaletteLine> lines) {
  assert(palette.size() == lines.size());
  for (std::size_t i = 0; i < palette.size(); ++i) {
    const Affine scaled = palette[i] * shared::kWeightUnit;
    lines[i] = {{scaled[0], scaled[1], scaled[2], glm::vec4(0.0f)}};
  }
}

void blend_linear(const PackedBinding& binding, RestShape rest, SliceRange slices, std::span<const PaletteLine> palette,
                  const BlendOutputs& out) {
  HWY_DYNAMIC_DISPATCH(blend_linear)(binding, rest, slices, palette.data(), out);
}

}  // namespace pelt
#endif
