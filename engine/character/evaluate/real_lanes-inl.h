// SPDX-License-Identifier: MIT
// Real, Real3 and the other types of shaders/ (interop.h) with several lanes, for sources that Highway compiles once
// per instruction set.
#if defined(PELT_ENGINE_CHARACTER_EVALUATE_REAL_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PELT_ENGINE_CHARACTER_EVALUATE_REAL_LANES_INL_H
#undef PELT_ENGINE_CHARACTER_EVALUATE_REAL_LANES_INL_H
#else
#define PELT_ENGINE_CHARACTER_EVALUATE_REAL_LANES_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "engine/character/evaluate/lanes-inl.h"
#include "pelt/shaders/interop.h"
#include "shaders/angle.h"

// Applies to every .inl file from here on; the headers of shaders/ are included before this one.
#undef PELT_LANES_FN
#define PELT_LANES_FN HWY_INLINE

HWY_BEFORE_NAMESPACE();
namespace pelt::shared::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using RealTag = hn::CappedTag<float, 8>;
using IntegerTag = hn::RebindToSigned<RealTag>;
constexpr uint kRealLanes = hn::MaxLanes(RealTag());

using Truth = pelt::HWY_NAMESPACE::LaneMask<RealTag>;
using Integer = pelt::HWY_NAMESPACE::Lanes<IntegerTag>;
using Real = pelt::HWY_NAMESPACE::Lanes<RealTag>;
using Real3 = pelt::HWY_NAMESPACE::Lanes3<RealTag>;

using glm::max;
using glm::min;
HWY_INLINE Real3 operator*(const glm::vec3& v, Real s) { return Real3(v) * s; }
HWY_INLINE Real mix(Real a, Real b, Real part) { return a + (b - a) * part; }
HWY_INLINE Real3 mix(const Real3& a, const Real3& b, Real part) { return a + (b - a) * part; }
HWY_INLINE Real smoothstep(float from, float to, Real x) {
  const Real t = clamp((x - from) / (to - from), 0.0f, 1.0f);
  return t * t * (3.0f - 2.0f * t);
}
HWY_INLINE Integer floatBitsToInt(Real x) { return hn::BitCast(IntegerTag(), x.v); }
HWY_INLINE Real intBitsToFloat(Integer bits) { return hn::BitCast(RealTag(), bits.v); }

struct Real2 {
  Real x, y;

  HWY_INLINE Real2(Real in_x, Real in_y) : x(in_x), y(in_y) {}
  HWY_INLINE Real2(const glm::vec2& all) : x(all.x), y(all.y) {}
};

HWY_INLINE Real2 operator*(const Real2& v, Real s) { return {v.x * s, v.y * s}; }

struct Real4 {
  Real x, y, z, w;

  Real4() = default;
  HWY_INLINE Real4(Real in_x, Real in_y, Real in_z, Real in_w) : x(in_x), y(in_y), z(in_z), w(in_w) {}
  HWY_INLINE Real4(const Real3& v, Real in_w) : x(v.x), y(v.y), z(v.z), w(in_w) {}
  HWY_INLINE Real4(const glm::vec4& all) : x(all.x), y(all.y), z(all.z), w(all.w) {}
};

HWY_INLINE Real4 operator+(const Real4& a, const Real4& b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
HWY_INLINE Real4 operator*(const Real4& v, Real s) { return {v.x * s, v.y * s, v.z * s, v.w * s}; }

// Reads four numbers per lane; lanes are `stride` numbers apart.
HWY_INLINE Real4 load_quads(const float* first, std::size_t stride) {
  const auto blocks = [&](const float* at) HWY_ATTR {
    if constexpr (kRealLanes == 4)
      return hn::LoadU(RealTag(), at);
    else {
      const hn::Half<RealTag> half;
      return hn::Combine(RealTag(), hn::LoadU(half, at + 4 * stride), hn::LoadU(half, at));
    }
  };
  const Real lanes[4] = {blocks(first), blocks(first + stride), blocks(first + 2 * stride), blocks(first + 3 * stride)};
  Real4 quads;
  transpose_row(lanes, quads.x, quads.y, quads.z, quads.w);
  return quads;
}

// Writes four numbers per lane; lanes are `stride` numbers apart.
HWY_INLINE void store_quads(const Real4& quads, float* first, std::size_t stride) {
  const auto store = [&](hn::Vec<RealTag> blocks, float* at) HWY_ATTR {
    if constexpr (kRealLanes == 4)
      hn::StoreU(blocks, RealTag(), at);
    else {
      const hn::Half<RealTag> half;
      hn::StoreU(hn::LowerHalf(half, blocks), half, at);
      hn::StoreU(hn::UpperHalf(half, blocks), half, at + 4 * stride);
    }
  };
  Real lanes[4];
  transpose_row({quads.x, quads.y, quads.z, quads.w}, lanes[0], lanes[1], lanes[2], lanes[3]);
  for (std::size_t v = 0; v < 4; ++v) store(lanes[v].v, first + v * stride);
}

HWY_INLINE Real dot(const Real4& a, const Real4& b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
HWY_INLINE Real4 normalize(const Real4& v) { return v * (1.0f / sqrt(dot(v, v))); }
HWY_INLINE Real4 choose(Truth is, const Real4& yes, const Real4& no) {
  return {choose(is, yes.x, no.x), choose(is, yes.y, no.y), choose(is, yes.z, no.z), choose(is, yes.w, no.w)};
}

// A matrix of three columns.
struct Real3x3 {
  Real3 columns[3];

  HWY_INLINE Real3x3(const Real3& a, const Real3& b, const Real3& c) : columns{a, b, c} {}
  HWY_INLINE const Real3& operator[](int i) const { return columns[i]; }
};

HWY_INLINE Real3 operator*(const Real3x3& m, const Real3& v) { return m[0] * v.x + m[1] * v.y + m[2] * v.z; }
HWY_INLINE Real3x3 operator*(const Real3x3& a, const Real3x3& b) { return {a * b[0], a * b[1], a * b[2]}; }

// A frame as three rows, like Affine.
struct RealAffine {
  Real4 rows[3];

  RealAffine() = default;
  HWY_INLINE RealAffine(const Real4& a, const Real4& b, const Real4& c) : rows{a, b, c} {}
  HWY_INLINE RealAffine(const Affine& all) : rows{all[0], all[1], all[2]} {}
  HWY_INLINE Real4& operator[](int i) { return rows[i]; }
  HWY_INLINE const Real4& operator[](int i) const { return rows[i]; }
  // Reads one frame per lane, row by row; lanes are `stride` numbers apart.
  static HWY_INLINE RealAffine load(const float* first, std::size_t stride) {
    return {load_quads(first, stride), load_quads(first + 4, stride), load_quads(first + 8, stride)};
  }
  // Writes one frame per lane.
  HWY_INLINE void store(Affine* frames) const {
    for (int i = 0; i < 3; ++i) store_quads(rows[i], &frames[0][i].x, 12);
  }
};

HWY_INLINE RealAffine operator+(const RealAffine& a, const RealAffine& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
HWY_INLINE RealAffine operator*(const RealAffine& f, Real s) { return {f[0] * s, f[1] * s, f[2] * s}; }
HWY_INLINE Real3 operator*(const Real4& p, const RealAffine& f) { return {dot(p, f[0]), dot(p, f[1]), dot(p, f[2])}; }

#include "pelt/shaders/frame.inl"
#include "shaders/angle.inl"
#include "shaders/power.inl"
#include "shaders/quaternion.inl"
#include "shaders/spline.inl"

}  // namespace pelt::shared::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
