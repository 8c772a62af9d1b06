// SPDX-License-Identifier: MIT
// The rows of a slice, one per lane, and their packed directions, for sources that Highway compiles once per
// instruction set.
#if defined(PELT_ENGINE_CHARACTER_EVALUATE_SLICE_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PELT_ENGINE_CHARACTER_EVALUATE_SLICE_LANES_INL_H
#undef PELT_ENGINE_CHARACTER_EVALUATE_SLICE_LANES_INL_H
#else
#define PELT_ENGINE_CHARACTER_EVALUATE_SLICE_LANES_INL_H
#endif

#include "engine/character/evaluate/lanes-inl.h"
#include "shaders/blend/blend.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::HWY_NAMESPACE {

// Vertices per vector: 4, 8 or 16 lanes.
using Floats = hn::CappedTag<float, 16>;
using Words = hn::RebindToUnsigned<Floats>;
using Integers = hn::RebindToSigned<Floats>;
using Vec = Lanes<Floats>;
using Vec3 = Lanes3<Floats>;
using WordVec = hn::Vec<Words>;
constexpr std::size_t kLanes = hn::MaxLanes(Floats());
constexpr std::size_t kRows = shared::kSliceRows;
static_assert(kLanes >= 4 && kRows % kLanes == 0);

// Decodes octahedral words (pelt/shaders/octahedral.h) to directions of any length. A tangent's first coordinate may be
// -32768 steps because its lowest bit is cleared; it counts as -1, like -32767. The second coordinate cannot be.
HWY_INLINE Vec3 decode_octahedral(WordVec word) {
  const Words du;
  const float unit = 1.0f / 32767.0f / 65536.0f;  // steps are in the upper half of a word
  const auto steps = [&](WordVec upper)
                         HWY_ATTR { return Vec(Lanes<Integers>(hn::BitCast(Integers(), upper))) * unit; };
  const Vec x = max(Vec(-1.0f), steps(hn::ShiftLeft<16>(word)));
  const Vec y = steps(hn::And(word, hn::Set(du, 0xFFFF0000u)));
  const Vec z = 1.0f - abs(x) - abs(y);
  const Vec fold = max(Vec(0.0f), -z);
  return {x - copysign(fold, x), y - copysign(fold, y), z};
}

// Encodes directions of any length other than 0.
HWY_INLINE WordVec encode_octahedral(const Vec3& n) {
  const Integers di;
  const Vec ax = abs(n.x), ay = abs(n.y);
  const Vec inverse = 1.0f / (ax + ay + abs(n.z));
  const auto below = n.z < 0.0f;
  const Vec x = choose(below, copysign(1.0f - ay * inverse, n.x), n.x * inverse);
  const Vec y = choose(below, copysign(1.0f - ax * inverse, n.y), n.y * inverse);
  const auto low = hn::And(hn::NearestInt((x * 32767.0f).v), hn::Set(di, 0xFFFF));
  const auto high = hn::ShiftLeft<16>(hn::NearestInt((y * 32767.0f).v));
  return hn::BitCast(Words(), hn::Or(low, high));
}

}  // namespace pelt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
