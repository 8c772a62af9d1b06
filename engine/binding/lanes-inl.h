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

// Decodes octahedral words (pelt/shaders/octahedral.h) to directions that are not of unit length.
HWY_INLINE Vec3 decode_octahedral(WordVec word) {
  const Floats d;
  const Integers di;
  const auto bits = hn::BitCast(di, word);
  const Vec unit = hn::Set(d, 1.0f / 32767.0f), least = hn::Set(d, -1.0f);
  const auto low = hn::ShiftRight<16>(hn::ShiftLeft<16>(bits));
  Vec x = hn::Max(hn::Mul(hn::ConvertTo(d, low), unit), least);
  Vec y = hn::Max(hn::Mul(hn::ConvertTo(d, hn::ShiftRight<16>(bits)), unit), least);
  const Vec z = hn::Sub(hn::Sub(hn::Set(d, 1.0f), hn::Abs(x)), hn::Abs(y));
  const Vec fold = hn::Max(hn::Neg(z), hn::Zero(d));
  x = hn::Sub(x, hn::CopySign(fold, x));
  y = hn::Sub(y, hn::CopySign(fold, y));
  return {x, y, z};
}

}  // namespace pelt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
