// SPDX-License-Identifier: MIT
// Vectors of points, one point a lane, for sources that Highway compiles once for each instruction set.
#if defined(PELT_ENGINE_BINDING_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PELT_ENGINE_BINDING_LANES_INL_H
#undef PELT_ENGINE_BINDING_LANES_INL_H
#else
#define PELT_ENGINE_BINDING_LANES_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "shaders/blend/blend.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vertices that are transformed at once: 4, 8 or 16 lanes.
using Floats = hn::CappedTag<float, 16>;
using Words = hn::RebindToUnsigned<Floats>;
using Integers = hn::RebindToSigned<Floats>;
using Vec = hn::Vec<Floats>;
using WordVec = hn::Vec<Words>;
constexpr std::size_t kLanes = hn::MaxLanes(Floats());
constexpr std::size_t kRows = shared::kSliceRows;
static_assert(kLanes >= 4 && kRows % kLanes == 0);

struct Vec3 {
  Vec x, y, z;
};

HWY_INLINE Vec3 scale(const Vec3& a, Vec s) { return {hn::Mul(a.x, s), hn::Mul(a.y, s), hn::Mul(a.z, s)}; }

// Transposes the four numbers of each lane: r[v] holds, in its 128-bit block b, those of lane 4 b + v.
template <class V>
HWY_INLINE void transpose_row(const V r[4], V& x, V& y, V& z, V& w) {
  const hn::DFromV<V> d;
  const hn::Repartition<std::uint64_t, decltype(d)> pairs;
  const auto xy01 = hn::BitCast(pairs, hn::InterleaveLower(d, r[0], r[1]));
  const auto xy23 = hn::BitCast(pairs, hn::InterleaveLower(d, r[2], r[3]));
  const auto zw01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r[0], r[1]));
  const auto zw23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r[2], r[3]));
  x = hn::BitCast(d, hn::InterleaveLower(pairs, xy01, xy23));
  y = hn::BitCast(d, hn::InterleaveUpper(pairs, xy01, xy23));
  z = hn::BitCast(d, hn::InterleaveLower(pairs, zw01, zw23));
  w = hn::BitCast(d, hn::InterleaveUpper(pairs, zw01, zw23));
}

// Decodes octahedral words (pelt/shaders/octahedral.h) to directions that are not of unit length. A tangent's first
// coordinate may be -32768 steps, since its lowest bit is cleared: it is -1 like -32767. The second never is.
HWY_INLINE Vec3 decode_octahedral(WordVec word) {
  const Floats d;
  const Words du;
  const Integers di;
  const Vec unit = hn::Set(d, 1.0f / 32767.0f / 65536.0f);  // of steps in the upper half of a word
  const auto steps = [&](WordVec upper) HWY_ATTR { return hn::Mul(hn::ConvertTo(d, hn::BitCast(di, upper)), unit); };
  Vec x = hn::Max(steps(hn::ShiftLeft<16>(word)), hn::Set(d, -1.0f));
  Vec y = steps(hn::And(word, hn::Set(du, 0xFFFF0000u)));
  const Vec z = hn::Sub(hn::Sub(hn::Set(d, 1.0f), hn::Abs(x)), hn::Abs(y));
  const Vec fold = hn::Max(hn::Neg(z), hn::Zero(d));
  x = hn::Sub(x, hn::CopySign(fold, x));
  y = hn::Sub(y, hn::CopySign(fold, y));
  return {x, y, z};
}

// Encodes directions of any length but 0.
HWY_INLINE WordVec encode_octahedral(const Vec3& n) {
  const Floats d;
  const Integers di;
  const Vec one = hn::Set(d, 1.0f);
  const Vec ax = hn::Abs(n.x), ay = hn::Abs(n.y), az = hn::Abs(n.z);
  const Vec inverse = hn::Div(one, hn::Add(hn::Add(ax, ay), az));
  const auto below = hn::Lt(n.z, hn::Zero(d));
  const Vec x = hn::IfThenElse(below, hn::CopySign(hn::Sub(one, hn::Mul(ay, inverse)), n.x), hn::Mul(n.x, inverse));
  const Vec y = hn::IfThenElse(below, hn::CopySign(hn::Sub(one, hn::Mul(ax, inverse)), n.y), hn::Mul(n.y, inverse));
  const Vec steps = hn::Set(d, 32767.0f);
  const auto low = hn::And(hn::NearestInt(hn::Mul(x, steps)), hn::Set(di, 0xFFFF));
  const auto high = hn::ShiftLeft<16>(hn::NearestInt(hn::Mul(y, steps)));
  return hn::BitCast(Words(), hn::Or(low, high));
}

}  // namespace pelt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
