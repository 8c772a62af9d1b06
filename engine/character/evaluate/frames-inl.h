// SPDX-License-Identifier: MIT
// Frames of vertices, one per lane, and the memory in which they are blended, for sources that Highway compiles once
// per instruction set.
#if defined(PELT_ENGINE_CHARACTER_EVALUATE_FRAMES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PELT_ENGINE_CHARACTER_EVALUATE_FRAMES_INL_H
#undef PELT_ENGINE_CHARACTER_EVALUATE_FRAMES_INL_H
#else
#define PELT_ENGINE_CHARACTER_EVALUATE_FRAMES_INL_H
#endif

#include <cstring>

#include "engine/character/evaluate/blend.h"
#include "engine/character/evaluate/slice_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::HWY_NAMESPACE {

constexpr std::size_t kLineFloats = sizeof(PaletteLine) / sizeof(float);
constexpr std::size_t kFrameFloats = sizeof(Affine) / sizeof(float);

// Products and sums, fused if the processor can.
HWY_INLINE Vec fused_dot(const Vec3& a, const Vec3& b) { return mul_add(a.x, b.x, mul_add(a.y, b.y, a.z * b.z)); }
HWY_INLINE Vec3 fused_cross(const Vec3& a, const Vec3& b) {
  return {neg_mul_add(a.z, b.y, a.y * b.z), neg_mul_add(a.x, b.z, a.z * b.x), neg_mul_add(a.y, b.x, a.x * b.y)};
}
// Return a + b s and a - b s.
HWY_INLINE Vec3 fused_add(const Vec3& a, const Vec3& b, Vec s) {
  return {mul_add(b.x, s, a.x), mul_add(b.y, s, a.y), mul_add(b.z, s, a.z)};
}
HWY_INLINE Vec3 fused_subtract(const Vec3& a, const Vec3& b, Vec s) {
  return {neg_mul_add(b.x, s, a.x), neg_mul_add(b.y, s, a.y), neg_mul_add(b.z, s, a.z)};
}

HWY_INLINE Vec inverse_sqrt(Vec v) {
#if HWY_ARCH_X86
  // The estimate has at least 12 bits; one Newton step makes it exact to rounding.
  const Vec e = hn::ApproximateReciprocalSqrt(v.v);
  return e * neg_mul_add(v * 0.5f * e, e, 1.5f);
#else
  return 1.0f / sqrt(v);
#endif
}

// One frame per lane: columns a, b, c and origin o.
struct Frames {
  Vec3 a, b, c, o;
};

// Returns a v.x + b v.y + c v.z; the second form adds o.
HWY_INLINE Vec3 map(const Frames& f, const Vec3& v) { return fused_add(fused_add(f.c * v.z, f.b, v.y), f.a, v.x); }
HWY_INLINE Vec3 map(const Frames& f, const Vec3& v, const Vec3& o) {
  return fused_add(fused_add(fused_add(o, f.c, v.z), f.b, v.y), f.a, v.x);
}

// The blended frames of a slice's rows, each laid out as a PaletteLine.
struct Lines {
  const float* lines;

  // Loads floats [first, ...) of line v.
  template <class D>
  HWY_INLINE hn::Vec<D> load(D d, std::size_t v, std::size_t first) const {
    return hn::Load(d, lines + v * kLineFloats + first);
  }
};

HWY_INLINE Frames load_frames(const Lines& source) {
  const Floats d;
  Vec row0[4], row1[4], row2[4];
  for (std::size_t v = 0; v < 4; ++v) {
#if HWY_MAX_BYTES >= 64
    // Halves of the lines of vertices v, v + 4, v + 8, v + 12: transposes a 4 x 4 matrix of blocks.
    const hn::Half<Floats> half;
    const auto halves = [&](std::size_t line, std::size_t first) {
      return hn::Combine(d, source.load(half, line + 8, first), source.load(half, line, first));
    };
    const auto even = halves(v, 0), odd = halves(v + 4, 0);
    row0[v] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd), even);
    row1[v] = hn::OddEvenBlocks(odd, hn::SwapAdjacentBlocks(even));
    row2[v] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(halves(v + 4, 8)), halves(v, 8));
#elif HWY_MAX_BYTES == 32
    const hn::Half<Floats> half;
    const auto quarters = [&](std::size_t first) {
      return hn::Combine(d, source.load(half, v + 4, first), source.load(half, v, first));
    };
    row0[v] = quarters(0);
    row1[v] = quarters(4);
    row2[v] = quarters(8);
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

// Stores kLanes frames, kFrameFloats each, as Affine.
inline void store_frames(const Frames& f, float* HWY_RESTRICT frames) {
  const Floats d;
  alignas(64) float rows[3][4 * kLanes];
  hn::StoreInterleaved4(f.a.x.v, f.b.x.v, f.c.x.v, f.o.x.v, d, rows[0]);
  hn::StoreInterleaved4(f.a.y.v, f.b.y.v, f.c.y.v, f.o.y.v, d, rows[1]);
  hn::StoreInterleaved4(f.a.z.v, f.b.z.v, f.c.z.v, f.o.z.v, d, rows[2]);
  for (std::size_t v = 0; v < kLanes; ++v) {
    for (std::size_t row = 0; row < 3; ++row) {
      std::memcpy(frames + v * kFrameFloats + 4 * row, rows[row] + 4 * v, 4 * sizeof(float));
    }
  }
}

}  // namespace pelt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
