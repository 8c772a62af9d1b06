// SPDX-License-Identifier: MIT
// The vertex kernel that blends dual quaternions (shaders/dual_quaternion/dual_quaternion.h), structured like the
// linear one: rows are summed one after the other, then moved one per lane.
#include <limits>

#include "engine/character/evaluate/blend.h"
#include "shaders/dual_quaternion/pose.h"

// Compiled once per instruction set; the best one that the processor supports is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/character/evaluate/blend_dual_quaternion.cpp"
#include <hwy/foreach_target.h>

#include "engine/character/evaluate/blend-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::HWY_NAMESPACE {

constexpr std::size_t kPairFloats = 8;  // of a dual quaternion: real part, then dual part
using PairFloats = hn::CappedTag<float, kPairFloats>;
constexpr std::size_t kPairVectors = kPairFloats / hn::MaxLanes(PairFloats());
using Quad = hn::CappedTag<float, 4>;

// One quaternion per lane.
struct Quaternions {
  Vec3 v;
  Vec w;
};

HWY_INLINE Vec fused_dot(const Quaternions& a, const Quaternions& b) { return mul_add(a.w, b.w, fused_dot(a.v, b.v)); }

// Loads vectors whose 128-bit block b holds the real part, and the dual part, of row 4 b + v.
HWY_INLINE void load_pairs(const float* HWY_RESTRICT pairs, std::size_t v, Vec& real, Vec& dual) {
  const Floats d;
  const float* at = pairs + v * kPairFloats;
  [[maybe_unused]] constexpr std::size_t kNext = 4 * kPairFloats;  // from row v to row v + 4
#if HWY_MAX_BYTES >= 64
  const hn::Half<Floats> half;
  const auto even = hn::Combine(d, hn::Load(half, at + 2 * kNext), hn::Load(half, at));
  const auto odd = hn::Combine(d, hn::Load(half, at + 3 * kNext), hn::Load(half, at + kNext));
  real = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd), even);
  dual = hn::OddEvenBlocks(odd, hn::SwapAdjacentBlocks(even));
#elif HWY_MAX_BYTES == 32
  const auto low = hn::Load(d, at), high = hn::Load(d, at + kNext);
  real = hn::ConcatLowerLower(d, high, low);
  dual = hn::ConcatUpperUpper(d, high, low);
#else
  real = hn::Load(d, at);
  dual = hn::Load(d, at + 4);
#endif
}

struct DualQuaternions {
  Quaternions real;
  Quaternions dual;
};

// Loads the dual quaternions of kLanes rows.
HWY_INLINE DualQuaternions load_dual_quaternions(const float* HWY_RESTRICT pairs) {
  Vec real[4], dual[4];
  for (std::size_t v = 0; v < 4; ++v) load_pairs(pairs, v, real[v], dual[v]);
  DualQuaternions q;
  transpose_row(real, q.real.v.x, q.real.v.y, q.real.v.z, q.real.w);
  transpose_row(dual, q.dual.v.x, q.dual.v.y, q.dual.v.z, q.dual.w);
  return q;
}

// Returns s times d w - r v + r x d, for a dual quaternion with real part (r, w) and dual part (d, v).
HWY_INLINE Vec3 translation(const DualQuaternions& q, Vec s) {
  return fused_subtract(fused_add(fused_cross(q.real.v, q.dual.v), q.dual.v, q.real.w), q.real.v, q.dual.w) * s;
}

// Rigid frames from dual quaternions of any length. `by_squared`: 2 / squared length.
HWY_INLINE Frames rigid_frames(const DualQuaternions& q, Vec by_squared) {
  const Vec3& v = q.real.v;
  const Vec3 t = v * by_squared;
  const Vec xx = v.x * t.x, yy = v.y * t.y, zz = v.z * t.z;
  const Vec xy = v.x * t.y, xz = v.x * t.z, yz = v.y * t.z;
  const Vec w = q.real.w;
  return {{1.0f - (yy + zz), mul_add(w, t.z, xy), neg_mul_add(w, t.y, xz)},
          {neg_mul_add(w, t.z, xy), 1.0f - (xx + zz), mul_add(w, t.x, yz)},
          {mul_add(w, t.y, xz), neg_mul_add(w, t.x, yz), 1.0f - (xx + yy)},
          translation(q, by_squared)};
}

// kStretches: false if all stretches are 1, so that they are not read.
template <bool kStretches>
struct DualQuaternionBlend {
  struct Sums {
    alignas(64) float pairs[kSums][kRows * kPairFloats];  // of dual quaternions
    LineSums stretches;
    const std::uint32_t* pivots;  // words of the strongest influences

    // Gives the weights of influences [first, count) signs that put each quaternion on the side of its row's pivot.
    template <std::size_t kUsed>
    static HWY_INLINE void take_sides(const std::uint32_t* offsets, std::size_t first, std::size_t count,
                                      const std::uint32_t* pivots, const PaletteLine* HWY_RESTRICT palette,
                                      float (&weights)[kUsed][kDecoded * kRows]) {
      constexpr auto kUnits = static_cast<float>(shared::kWeightUnits);  // lines are divided by kUnits
      const Quad d;
      const hn::Repartition<std::uint64_t, Quad> pairs;
      const auto* base = reinterpret_cast<const char*>(palette);
      for (std::size_t row = 0; row < kRows; row += 4) {
        hn::Vec<Quad> pivot[4];
        for (std::size_t i = 0; i < 4; ++i) {
          pivot[i] = hn::Load(d, &palette[shared::influence_index(pivots[row + i])].rows[0].x);
        }
        for (std::size_t k = first; k < count; ++k) {
          const std::size_t at = k * kRows + row;
          hn::Vec<Quad> products[4];
          for (std::size_t i = 0; i < 4; ++i) {
            products[i] = hn::Mul(hn::Load(d, reinterpret_cast<const float*>(base + offsets[at + i])), pivot[i]);
          }
          const auto xz_yw = [&](std::size_t i) {
            return hn::BitCast(pairs, hn::Add(hn::InterleaveLower(d, products[i], products[i + 1]),
                                              hn::InterleaveUpper(d, products[i], products[i + 1])));
          };
          const auto low = xz_yw(0), high = xz_yw(2);
          auto sides = hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, low, high)),
                               hn::BitCast(d, hn::InterleaveUpper(pairs, low, high)));
          if (!hn::AllFalse(d, hn::Le(hn::Abs(sides), hn::Set(d, shared::kHalfTurnTie / (kUnits * kUnits))))) {
            alignas(16) float each[4];
            for (std::size_t i = 0; i < 4; ++i) {
              const auto& motion = *reinterpret_cast<const PaletteLine*>(base + offsets[at + i]);
              const PaletteLine& strongest = palette[shared::influence_index(pivots[row + i])];
              each[i] = shared::side_of(motion.rows[0] * kUnits, strongest.rows[0] * kUnits);
            }
            sides = hn::Load(d, each);
          }
          const auto sign = hn::IfThenElseZero(hn::Lt(sides, hn::Zero(d)), hn::Set(d, -0.0f));
          for (std::size_t s = 0; s < kUsed; ++s) {
            hn::Store(hn::Xor(hn::Load(d, weights[s] + at), sign), d, weights[s] + at);
          }
        }
      }
    }

    template <bool kGradients>
    HWY_INLINE void add_influences(Columns columns, std::size_t count, bool start, const PaletteLine* palette) {
      Decoded<kGradients> decoded;
      decode(columns, count, decoded);
      if constexpr (kStretches) stretches.add(decoded, count, start, palette + 1);
      if (start) pivots = columns.words;
      take_sides(decoded.offsets, start ? 1 : 0, count, pivots, palette, decoded.weights);
      if constexpr (kGradients) {
        float* const sums[] = {pairs[0], pairs[1], pairs[2]};
        add_entries<PairFloats, kPairVectors, kPairFloats>(decoded.weights, decoded.offsets, count, start, palette,
                                                           sums);
      } else {
        float* const sums[] = {pairs[0]};
        add_entries<PairFloats, kPairVectors, kPairFloats>(decoded.weights, decoded.offsets, count, start, palette,
                                                           sums);
      }
    }
  };

  struct Lanes {
    DualQuaternions blended;
    Vec by_squared;  // 2 over the squared length
    LaneMask<Floats> cancels;
    Frames moving;
    Frames stretch;
    Frames frame;

    // shared::rigid_derivative, plus the derivative of the stretch.
    HWY_INLINE Vec3 derivative(const Sums& sums, std::size_t row, std::size_t k, const Vec3& point) const {
      const DualQuaternions change = load_dual_quaternions(sums.pairs[k + 1] + row * kPairFloats);
      const Vec3 x = kStretches ? map(stretch, point) : point;
      const Vec3 moved = map(moving, x, moving.o);
      const Vec3& r = blended.real.v;
      const Vec3& by_r = change.real.v;
      const Vec w = blended.real.w, by_w = change.real.w;
      // r (by_r . x) + by_r (r . x) + x (w by_w - r . by_r) + by_w r x x + w by_r x x
      Vec3 step = x * neg_mul_add(r.x, by_r.x, neg_mul_add(r.y, by_r.y, neg_mul_add(r.z, by_r.z, w * by_w)));
      step = fused_add(step, by_r, fused_dot(r, x));
      step = fused_add(step, r, fused_dot(by_r, x));
      step = fused_add(step, fused_cross(r, x), by_w);
      step = fused_add(step, fused_cross(by_r, x), w);
      step += translation({blended.real, change.dual}, 1.0f);
      step += translation({change.real, blended.dual}, 1.0f);
      step = fused_subtract(step, moved, fused_dot(blended.real, change.real));
      step = choose(cancels, Vec3(Vec(0.0f)), step * by_squared);
      if constexpr (!kStretches) return step;
      return step + map(moving, map(sums.stretches.load(k + 1, row), point));
    }
  };

  // Replaces dual quaternions that cancel in a row's sum by the row's pivot.
  static void replace_cancelled(const std::uint32_t* cancelled, const std::uint32_t* words, const PaletteLine* palette,
                                float* pairs) {
    for (std::size_t v = 0; v < kLanes; ++v) {
      if (cancelled[v] == 0) continue;
      const PaletteLine& pivot = palette[shared::influence_index(words[v])];
      for (std::size_t i = 0; i < kPairFloats; ++i) {
        pairs[v * kPairFloats + i] = (&pivot.rows[0].x)[i] * static_cast<float>(shared::kWeightUnits);
      }
    }
  }

  static HWY_INLINE Lanes load(Sums& sums, std::size_t row, const std::uint32_t* words, const PaletteLine* palette) {
    float* pairs = sums.pairs[0] + row * kPairFloats;
    DualQuaternions blended = load_dual_quaternions(pairs);
    Vec squared = fused_dot(blended.real, blended.real);
    const auto cancels = !(squared > 1e-12f);
    if (HWY_UNLIKELY(any_of(cancels))) {
      alignas(64) std::uint32_t cancelled[kLanes];
      const Words du;
      hn::Store(hn::BitCast(du, hn::VecFromMask(Floats(), cancels.m)), du, cancelled);
      replace_cancelled(cancelled, words, palette, pairs);
      blended = load_dual_quaternions(pairs);
      squared = fused_dot(blended.real, blended.real);
    }
    Lanes lanes{.blended = blended, .by_squared = 2.0f / squared, .cancels = cancels};
    lanes.moving = rigid_frames(lanes.blended, lanes.by_squared);
    lanes.frame = lanes.moving;
    if constexpr (kStretches) {
      const Frames stretch = sums.stretches.load(0, row);  // its origin is 0
      lanes.frame.a = map(lanes.moving, stretch.a);
      lanes.frame.b = map(lanes.moving, stretch.b);
      lanes.frame.c = map(lanes.moving, stretch.c);
      lanes.stretch = stretch;
    }
    return lanes;
  }
  static glm::mat3 turn(const PaletteLine& entry) {
    return shared::rotation_from_quaternion(entry.rows[0] * static_cast<float>(shared::kWeightUnits));
  }
};

void blend_dual_quaternion(const PackedBinding& binding, RestShape rest, SliceRange slices, const PaletteLine* palette,
                           Stretches stretches, const BlendOutputs& out) {
  if (stretches == Stretches::kNone) return blend_by<DualQuaternionBlend<false>>(binding, rest, slices, palette, out);
  blend_by<DualQuaternionBlend<true>>(binding, rest, slices, palette, out);
}

}  // namespace pelt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt {

HWY_EXPORT(blend_dual_quaternion);

Stretches make_dual_quaternion_lines(std::span<const Affine> palette, std::span<PaletteLine> lines) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  make_palette_lines(palette, lines);
  Stretches stretches = Stretches::kNone;
  for (std::size_t i = 0; i + 1 < palette.size(); i += shared::kDualQuaternionEntries) {
    const bool is_one = palette[i][2].x == 0;
    bool is_finite = true;
    for (int row = 0; row < 3; ++row) {
      is_finite = is_finite && glm::all(glm::lessThan(glm::abs(palette[i + 1][row]), glm::vec4(kInfinity)));
    }
    // A non-finite stretch makes its own vertices NaN, even if stretches are not read, but does not set kSome for
    // others.
    if (!is_finite) lines[i].rows[1] = glm::vec4(std::numeric_limits<float>::quiet_NaN());
    if (!is_one && is_finite) stretches = Stretches::kSome;
  }
  return stretches;
}

void blend_dual_quaternion(const PackedBinding& binding, RestShape rest, SliceRange slices,
                           std::span<const PaletteLine> palette, Stretches stretches, const BlendOutputs& out) {
  HWY_DYNAMIC_DISPATCH(blend_dual_quaternion)(binding, rest, slices, palette.data(), stretches, out);
}

}  // namespace pelt
#endif
