// SPDX-License-Identifier: MIT
// Numbers and points of several lanes, for sources that Highway compiles once per instruction set. `D`: a Highway tag.
// Operators never fuse a product with a sum, so every processor gives the same bits; mul_add() and neg_mul_add() fuse
// if the processor can.
#if defined(PELT_ENGINE_CHARACTER_EVALUATE_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PELT_ENGINE_CHARACTER_EVALUATE_LANES_INL_H
#undef PELT_ENGINE_CHARACTER_EVALUATE_LANES_INL_H
#else
#define PELT_ENGINE_CHARACTER_EVALUATE_LANES_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>

// Inlined in builds without optimisation too: there GCC 12 does not align what such functions leave on the stack for
// vectors of 64 bytes.
#undef PELT_LANE
#if HWY_COMPILER_MSVC
#define PELT_LANE HWY_INLINE
#else
#define PELT_LANE inline __attribute__((always_inline))
#endif

HWY_BEFORE_NAMESPACE();
namespace pelt::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
struct LaneMask {
  hn::Mask<D> m;

  PELT_LANE LaneMask(hn::Mask<D> lanes) : m(lanes) {}
  PELT_LANE explicit LaneMask(bool all) : m(hn::FirstN(D(), all ? hn::Lanes(D()) : 0)) {}
  friend PELT_LANE LaneMask operator&&(LaneMask a, LaneMask b) { return hn::And(a.m, b.m); }
  friend PELT_LANE LaneMask operator!(LaneMask a) { return hn::Not(a.m); }
  friend PELT_LANE bool any_of(LaneMask is) { return !hn::AllFalse(D(), is.m); }
};

template <class D>
struct Lanes {
  using Value = hn::TFromD<D>;
  hn::Vec<D> v;

  Lanes() = default;
  PELT_LANE Lanes(hn::Vec<D> lanes) : v(lanes) {}
  PELT_LANE Lanes(Value all) : v(hn::Set(D(), all)) {}
  template <class From>
  PELT_LANE explicit Lanes(Lanes<From> numbers) : v(hn::ConvertTo(D(), numbers.v)) {}
  // `from` and `to` must be aligned for vectors.
  static PELT_LANE Lanes load(const Value* from) { return hn::Load(D(), from); }
  PELT_LANE void store(Value* to) const { hn::Store(v, D(), to); }

  PELT_LANE Lanes operator-() const { return hn::Neg(v); }
  friend PELT_LANE Lanes operator+(Lanes a, Lanes b) { return hn::Add(a.v, b.v); }
  friend PELT_LANE Lanes operator-(Lanes a, Lanes b) { return hn::Sub(a.v, b.v); }
  friend PELT_LANE Lanes operator*(Lanes a, Lanes b) { return hn::Mul(a.v, b.v); }
  friend PELT_LANE Lanes operator/(Lanes a, Lanes b) { return hn::Div(a.v, b.v); }
  friend PELT_LANE Lanes operator<<(Lanes a, int bits) { return hn::ShiftLeftSame(a.v, bits); }
  friend PELT_LANE Lanes operator>>(Lanes a, int bits) { return hn::ShiftRightSame(a.v, bits); }
  PELT_LANE Lanes& operator+=(Lanes b) { return *this = *this + b; }
  PELT_LANE Lanes& operator*=(Lanes b) { return *this = *this * b; }
  friend PELT_LANE LaneMask<D> operator<(Lanes a, Lanes b) { return hn::Lt(a.v, b.v); }
  friend PELT_LANE LaneMask<D> operator<=(Lanes a, Lanes b) { return hn::Le(a.v, b.v); }
  friend PELT_LANE LaneMask<D> operator>(Lanes a, Lanes b) { return hn::Gt(a.v, b.v); }
  friend PELT_LANE LaneMask<D> operator==(Lanes a, Lanes b) { return hn::Eq(a.v, b.v); }
  friend PELT_LANE LaneMask<D> operator!=(Lanes a, Lanes b) { return hn::Ne(a.v, b.v); }

  friend PELT_LANE Lanes mul_add(Lanes a, Lanes b, Lanes c) { return hn::MulAdd(a.v, b.v, c.v); }
  friend PELT_LANE Lanes neg_mul_add(Lanes a, Lanes b, Lanes c) { return hn::NegMulAdd(a.v, b.v, c.v); }
  // Return NaN if a is NaN, as GLM does: the instructions of x86 return their second operand.
  friend PELT_LANE Lanes max(Lanes a, Lanes b) { return hn::Max(b.v, a.v); }
  friend PELT_LANE Lanes min(Lanes a, Lanes b) { return hn::Min(b.v, a.v); }
  friend PELT_LANE Lanes clamp(Lanes x, Lanes low, Lanes high) { return min(max(x, low), high); }
  friend PELT_LANE Lanes abs(Lanes x) { return hn::Abs(x.v); }
  friend PELT_LANE Lanes sqrt(Lanes x) { return hn::Sqrt(x.v); }
  friend PELT_LANE Lanes floor(Lanes x) { return hn::Floor(x.v); }
  friend PELT_LANE Lanes roundEven(Lanes x) { return hn::Round(x.v); }
  friend PELT_LANE Lanes copysign(Lanes x, Lanes sign) { return hn::CopySign(x.v, sign.v); }
  friend PELT_LANE Lanes choose(LaneMask<D> is, Lanes yes, Lanes no) { return hn::IfThenElse(is.m, yes.v, no.v); }
};

// One point or vector per lane.
template <class D>
struct Lanes3 {
  using Number = Lanes<D>;
  Number x, y, z;

  Lanes3() = default;
  PELT_LANE explicit Lanes3(Number all) : x(all), y(all), z(all) {}
  PELT_LANE Lanes3(Number in_x, Number in_y, Number in_z) : x(in_x), y(in_y), z(in_z) {}
  // Broadcasts a GLM vector to all lanes.
  template <class Value, glm::qualifier Q>
  PELT_LANE Lanes3(const glm::vec<3, Value, Q>& all) : x(all.x), y(all.y), z(all.z) {}
  // Loads coordinates from separate rows, aligned for vectors, from `lane` on.
  template <class Row>
  static PELT_LANE Lanes3 load(const Row* rows, std::size_t lane) {
    return {Number::load(rows[0] + lane), Number::load(rows[1] + lane), Number::load(rows[2] + lane)};
  }
  template <class Row>
  PELT_LANE void store(Row* rows, std::size_t lane) const {
    x.store(rows[0] + lane);
    y.store(rows[1] + lane);
    z.store(rows[2] + lane);
  }

  friend PELT_LANE Lanes3 operator+(const Lanes3& a, const Lanes3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend PELT_LANE Lanes3 operator-(const Lanes3& a, const Lanes3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend PELT_LANE Lanes3 operator*(const Lanes3& v, Number s) { return {v.x * s, v.y * s, v.z * s}; }
  friend PELT_LANE Lanes3 operator/(const Lanes3& v, Number s) { return {v.x / s, v.y / s, v.z / s}; }
  PELT_LANE Lanes3& operator+=(const Lanes3& b) { return *this = *this + b; }
  PELT_LANE Lanes3& operator-=(const Lanes3& b) { return *this = *this - b; }

  friend PELT_LANE Number dot(const Lanes3& a, const Lanes3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend PELT_LANE Number length(const Lanes3& v) { return sqrt(dot(v, v)); }
  friend PELT_LANE Lanes3 cross(const Lanes3& a, const Lanes3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  friend PELT_LANE Lanes3 choose(LaneMask<D> is, const Lanes3& yes, const Lanes3& no) {
    return {choose(is, yes.x, no.x), choose(is, yes.y, no.y), choose(is, yes.z, no.z)};
  }
};

// Transposes the four numbers of each lane: 128-bit block b of r[v] holds those of lane 4 b + v.
template <class D>
PELT_LANE void transpose_row(const Lanes<D> (&r)[4], Lanes<D>& x, Lanes<D>& y, Lanes<D>& z, Lanes<D>& w) {
  const D d;
  const hn::Repartition<std::uint64_t, D> pairs;
  const auto xy01 = hn::BitCast(pairs, hn::InterleaveLower(d, r[0].v, r[1].v));
  const auto xy23 = hn::BitCast(pairs, hn::InterleaveLower(d, r[2].v, r[3].v));
  const auto zw01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r[0].v, r[1].v));
  const auto zw23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r[2].v, r[3].v));
  x = hn::BitCast(d, hn::InterleaveLower(pairs, xy01, xy23));
  y = hn::BitCast(d, hn::InterleaveUpper(pairs, xy01, xy23));
  z = hn::BitCast(d, hn::InterleaveLower(pairs, zw01, zw23));
  w = hn::BitCast(d, hn::InterleaveUpper(pairs, zw01, zw23));
}

}  // namespace pelt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
