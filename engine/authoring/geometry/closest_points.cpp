// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/closest_points.h"

#include <bit>
#include <cassert>

// This file is compiled once per instruction set; the best one of the processor is chosen at run time. Neither this
// code nor the compiler (by its flags) fuses a product with a sum: the results would differ.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/authoring/geometry/closest_points.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pelt::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, kGroupSize>;
using Vec = hn::Vec<Doubles>;
constexpr std::size_t kLanes = hn::MaxLanes(Doubles());
static_assert(kGroupSize % kLanes == 0);

// Rows of TriangleGroup::values: corners, edges, the vectors whose products with p - a are the barycentric coordinates
// of b and c, and 1 / squared length of the edges (0 for an edge without length).
enum Row : std::size_t { kA = 0, kB = 3, kC = 6, kAB = 9, kAC = 12, kBC = 15, kToB = 18, kToC = 21, kInverse = 24 };

struct Vec3 {
  Vec x, y, z;
};

HWY_INLINE Vec3 load(const double (*rows)[kGroupSize], std::size_t row, std::size_t lane) {
  const Doubles d;
  return {hn::Load(d, rows[row] + lane), hn::Load(d, rows[row + 1] + lane), hn::Load(d, rows[row + 2] + lane)};
}
HWY_INLINE void store(const Vec3& v, double (*rows)[kGroupSize], std::size_t row, std::size_t lane) {
  const Doubles d;
  hn::Store(v.x, d, rows[row] + lane);
  hn::Store(v.y, d, rows[row + 1] + lane);
  hn::Store(v.z, d, rows[row + 2] + lane);
}

HWY_INLINE Vec3 subtract(const Vec3& a, const Vec3& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE Vec3 scale(const Vec3& a, Vec s) { return {hn::Mul(a.x, s), hn::Mul(a.y, s), hn::Mul(a.z, s)}; }
HWY_INLINE Vec dot(const Vec3& a, const Vec3& b) {
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
HWY_INLINE Vec3 cross(const Vec3& a, const Vec3& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}

// Returns 1 / v, or 0 if v is 0.
HWY_INLINE Vec inverse_or_zero(Vec v) {
  const Doubles d;
  const auto usable = hn::Gt(v, hn::Zero(d));
  return hn::IfThenElseZero(usable, hn::Div(hn::Set(d, 1.0), hn::IfThenElse(usable, v, hn::Set(d, 1.0))));
}

void prepare(const GroupCorners& corners, TriangleGroup& group) {
  const Doubles d;
  for (std::size_t lane = 0; lane < kGroupSize; lane += kLanes) {
    const Vec3 a = load(corners.values, 0, lane);
    const Vec3 b = load(corners.values, 3, lane);
    const Vec3 c = load(corners.values, 6, lane);
    const Vec3 ab = subtract(b, a), ac = subtract(c, a), bc = subtract(c, b);
    const Vec3 normal = cross(ab, ac);
    const Vec inverse = inverse_or_zero(dot(normal, normal));
    store(a, group.values, kA, lane);
    store(b, group.values, kB, lane);
    store(c, group.values, kC, lane);
    store(ab, group.values, kAB, lane);
    store(ac, group.values, kAC, lane);
    store(bc, group.values, kBC, lane);
    store(scale(cross(ac, normal), inverse), group.values, kToB, lane);
    store(scale(cross(normal, ab), inverse), group.values, kToC, lane);
    hn::Store(inverse_or_zero(dot(ab, ab)), d, group.values[kInverse] + lane);
    hn::Store(inverse_or_zero(dot(ac, ac)), d, group.values[kInverse + 1] + lane);
    hn::Store(inverse_or_zero(dot(bc, bc)), d, group.values[kInverse + 2] + lane);
  }
}

// The closest point of an edge: its fraction of the distance from start to end, and the squared distance.
struct OnEdge {
  Vec fraction;
  Vec squared;
};

// `point`: vector from the edge's start to the point. `squared_from`, `squared_to`: squared distances from the ends.
HWY_INLINE OnEdge on_edge(const Vec3& point, const Vec3& edge, Vec inverse, Vec squared_from, Vec squared_to) {
  const Doubles d;
  const Vec zero = hn::Zero(d), one = hn::Set(d, 1.0);
  const Vec fraction = hn::Mul(dot(point, edge), inverse);
  const Vec3 off = subtract(point, scale(edge, fraction));
  Vec squared = hn::IfThenElse(hn::Gt(fraction, zero), dot(off, off), squared_from);
  squared = hn::IfThenElse(hn::Lt(fraction, one), squared, squared_to);
  return {hn::Min(hn::Max(fraction, zero), one), squared};
}

template <bool kWeights>
HWY_INLINE Vec closest(const TriangleGroup& group, std::size_t lane, const Vec3& p, Vec* weights) {
  const Doubles d;
  const auto& rows = group.values;
  const Vec zero = hn::Zero(d), one = hn::Set(d, 1.0);
  const Vec3 ap = subtract(p, load(rows, kA, lane));
  const Vec3 bp = subtract(p, load(rows, kB, lane));
  const Vec3 cp = subtract(p, load(rows, kC, lane));
  const Vec3 ab = load(rows, kAB, lane), ac = load(rows, kAC, lane), bc = load(rows, kBC, lane);
  const Vec aa = dot(ap, ap), bb = dot(bp, bp), cc = dot(cp, cp);
  const OnEdge on_ab = on_edge(ap, ab, hn::Load(d, rows[kInverse] + lane), aa, bb);
  const OnEdge on_ac = on_edge(ap, ac, hn::Load(d, rows[kInverse + 1] + lane), aa, cc);
  const OnEdge on_bc = on_edge(bp, bc, hn::Load(d, rows[kInverse + 2] + lane), bb, cc);

  const Vec to_b = dot(ap, load(rows, kToB, lane));
  const Vec to_c = dot(ap, load(rows, kToC, lane));
  const Vec to_a = hn::Sub(hn::Sub(one, to_b), to_c);
  const Vec3 off = subtract(subtract(ap, scale(ab, to_b)), scale(ac, to_c));
  const auto inside = hn::Gt(hn::Min(to_a, hn::Min(to_b, to_c)), zero);

  Vec squared = on_ab.squared;
  const auto ac_nearer = hn::Lt(on_ac.squared, squared);
  squared = hn::IfThenElse(ac_nearer, on_ac.squared, squared);
  const auto bc_nearer = hn::Lt(on_bc.squared, squared);
  squared = hn::IfThenElse(bc_nearer, on_bc.squared, squared);
  const Vec off_squared = dot(off, off);
  const auto inside_nearer = hn::And(inside, hn::Le(off_squared, squared));
  if constexpr (kWeights) {
    weights[0] = hn::Sub(one, hn::IfThenElse(ac_nearer, on_ac.fraction, on_ab.fraction));
    weights[1] = hn::IfThenElse(ac_nearer, zero, on_ab.fraction);
    weights[2] = hn::IfThenElse(ac_nearer, on_ac.fraction, zero);
    weights[0] = hn::IfThenElse(bc_nearer, zero, weights[0]);
    weights[1] = hn::IfThenElse(bc_nearer, hn::Sub(one, on_bc.fraction), weights[1]);
    weights[2] = hn::IfThenElse(bc_nearer, on_bc.fraction, weights[2]);
    weights[0] = hn::IfThenElse(inside_nearer, to_a, weights[0]);
    weights[1] = hn::IfThenElse(inside_nearer, to_b, weights[1]);
    weights[2] = hn::IfThenElse(inside_nearer, to_c, weights[2]);
  }
  return hn::IfThenElse(inside_nearer, off_squared, squared);
}

void squared_distances(const TriangleGroup* groups, std::size_t count, const glm::dvec3& point, double* squared) {
  const Doubles d;
  const Vec3 p{hn::Set(d, point.x), hn::Set(d, point.y), hn::Set(d, point.z)};
  for (std::size_t g = 0; g < count; ++g) {
    for (std::size_t lane = 0; lane < kGroupSize; lane += kLanes) {
      hn::StoreU(closest<false>(groups[g], lane, p, nullptr), d, squared + g * kGroupSize + lane);
    }
  }
}

void set_box(const TriangleGroup& group, GroupBoxes& boxes, std::size_t i) {
  const Doubles d;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Vec low = hn::Load(d, group.values[kA + axis]), high = low;
    for (std::size_t lane = 0; lane < kGroupSize; lane += kLanes) {
      for (const std::size_t row : {kA, kB, kC}) {
        const Vec corner = hn::Load(d, group.values[row + axis] + lane);
        low = hn::Min(low, corner);
        high = hn::Max(high, corner);
      }
    }
    boxes.low[axis][i] = hn::GetLane(hn::MinOfLanes(d, low));
    boxes.high[axis][i] = hn::GetLane(hn::MaxOfLanes(d, high));
  }
}

std::size_t near_boxes(const GroupBoxes* boxes, std::size_t count, const glm::dvec3& point, double squared_limit,
                       std::uint32_t* near) {
  const Doubles d;
  const Vec p[3] = {hn::Set(d, point.x), hn::Set(d, point.y), hn::Set(d, point.z)};
  const Vec limit = hn::Set(d, squared_limit);
  std::size_t found = 0;
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t lane = 0; lane < kGroupSize; lane += kLanes) {
      Vec squared = hn::Zero(d);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const Vec below = hn::Sub(hn::Load(d, boxes[b].low[axis] + lane), p[axis]);
        const Vec above = hn::Sub(p[axis], hn::Load(d, boxes[b].high[axis] + lane));
        const Vec outside = hn::Max(hn::Max(below, above), hn::Zero(d));
        squared = hn::Add(squared, hn::Mul(outside, outside));
      }
      std::uint8_t bits[8] = {};  // StoreMaskBits writes up to 8 bytes
      hn::StoreMaskBits(d, hn::Le(squared, limit), bits);
      for (unsigned left = bits[0]; left != 0; left &= left - 1) {
        near[found++] = static_cast<std::uint32_t>(b * kGroupSize + lane) + std::countr_zero(left);
      }
    }
  }
  return found;
}

void closest_points(const TriangleGroup* groups, const std::uint32_t* chosen, std::size_t count,
                    const glm::dvec3& point, GroupPoints* points) {
  const Doubles d;
  const Vec3 p{hn::Set(d, point.x), hn::Set(d, point.y), hn::Set(d, point.z)};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t g = chosen[i];
    for (std::size_t lane = 0; lane < kGroupSize; lane += kLanes) {
      Vec weights[3];
      hn::Store(closest<true>(groups[g], lane, p, weights), d, points[g].squared + lane);
      for (std::size_t corner = 0; corner < 3; ++corner) {
        hn::Store(weights[corner], d, points[g].weights[corner] + lane);
      }
    }
  }
}

}  // namespace pelt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pelt {

HWY_EXPORT(prepare);
HWY_EXPORT(squared_distances);
HWY_EXPORT(set_box);
HWY_EXPORT(near_boxes);
HWY_EXPORT(closest_points);

void prepare(const GroupCorners& corners, TriangleGroup& group) { HWY_DYNAMIC_DISPATCH(prepare)(corners, group); }

void squared_distances(std::span<const TriangleGroup> groups, const glm::dvec3& point, std::span<double> squared) {
  assert(squared.size() == groups.size() * kGroupSize);
  HWY_DYNAMIC_DISPATCH(squared_distances)(groups.data(), groups.size(), point, squared.data());
}

void set_box(const TriangleGroup& group, GroupBoxes& boxes, std::size_t i) {
  HWY_DYNAMIC_DISPATCH(set_box)(group, boxes, i);
}

std::size_t near_boxes(std::span<const GroupBoxes> boxes, const glm::dvec3& point, double squared_limit,
                       std::span<std::uint32_t> near) {
  assert(near.size() >= boxes.size() * kGroupSize);
  return HWY_DYNAMIC_DISPATCH(near_boxes)(boxes.data(), boxes.size(), point, squared_limit, near.data());
}

void closest_points(std::span<const TriangleGroup> groups, std::span<const std::uint32_t> chosen,
                    const glm::dvec3& point, std::span<GroupPoints> points) {
  assert(points.size() >= groups.size());
  HWY_DYNAMIC_DISPATCH(closest_points)(groups.data(), chosen.data(), chosen.size(), point, points.data());
}

}  // namespace pelt
#endif
