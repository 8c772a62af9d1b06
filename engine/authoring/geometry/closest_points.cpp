// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/closest_points.h"

#include <bit>
#include <cassert>

// This file is compiled once per instruction set; the best one of the processor is chosen at run time. Neither this
// code nor the compiler (by its flags) fuses a product with a sum: the results would differ.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/authoring/geometry/closest_points.cpp"
#include <hwy/foreach_target.h>

#include "engine/character/evaluate/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pelt::HWY_NAMESPACE {

using Doubles = hn::CappedTag<double, kGroupSize>;
using Vec = Lanes<Doubles>;
using Vec3 = Lanes3<Doubles>;
constexpr std::size_t kLanes = hn::MaxLanes(Doubles());
static_assert(kGroupSize % kLanes == 0);

// Rows of TriangleGroup::values: corners, edges, the vectors whose products with p - a are the barycentric coordinates
// of b and c, and 1 / squared length of the edges (0 for an edge without length).
enum Row : std::size_t { kA = 0, kB = 3, kC = 6, kAB = 9, kAC = 12, kBC = 15, kToB = 18, kToC = 21, kInverse = 24 };

HWY_INLINE Vec inverse_or_zero(Vec v) {
  const auto usable = v > 0.0;
  return choose(usable, 1.0 / choose(usable, v, 1.0), 0.0);
}

void prepare(const GroupCorners& corners, TriangleGroup& group) {
  auto& rows = group.values;
  for (std::size_t lane = 0; lane < kGroupSize; lane += kLanes) {
    const Vec3 a = Vec3::load(corners.values, lane);
    const Vec3 b = Vec3::load(corners.values + 3, lane);
    const Vec3 c = Vec3::load(corners.values + 6, lane);
    const Vec3 ab = b - a, ac = c - a, bc = c - b;
    const Vec3 normal = cross(ab, ac);
    const Vec inverse = inverse_or_zero(dot(normal, normal));
    a.store(rows + kA, lane);
    b.store(rows + kB, lane);
    c.store(rows + kC, lane);
    ab.store(rows + kAB, lane);
    ac.store(rows + kAC, lane);
    bc.store(rows + kBC, lane);
    (cross(ac, normal) * inverse).store(rows + kToB, lane);
    (cross(normal, ab) * inverse).store(rows + kToC, lane);
    Vec3(inverse_or_zero(dot(ab, ab)), inverse_or_zero(dot(ac, ac)), inverse_or_zero(dot(bc, bc)))
        .store(rows + kInverse, lane);
  }
}

// The closest point of an edge: its fraction of the distance from start to end, and the squared distance.
struct OnEdge {
  Vec fraction;
  Vec squared;
};

// `point`: vector from the edge's start to the point. `squared_from`, `squared_to`: squared distances from the ends.
HWY_INLINE OnEdge on_edge(const Vec3& point, const Vec3& edge, Vec inverse, Vec squared_from, Vec squared_to) {
  const Vec fraction = dot(point, edge) * inverse;
  const Vec3 off = point - edge * fraction;
  Vec squared = choose(fraction > 0.0, dot(off, off), squared_from);
  squared = choose(fraction < 1.0, squared, squared_to);
  return {min(Vec(1.0), max(Vec(0.0), fraction)), squared};
}

template <bool kWeights>
HWY_INLINE Vec closest(const TriangleGroup& group, std::size_t lane, const Vec3& p, Vec* weights) {
  const auto& rows = group.values;
  const Vec3 ap = p - Vec3::load(rows + kA, lane);
  const Vec3 bp = p - Vec3::load(rows + kB, lane);
  const Vec3 cp = p - Vec3::load(rows + kC, lane);
  const Vec3 ab = Vec3::load(rows + kAB, lane), ac = Vec3::load(rows + kAC, lane), bc = Vec3::load(rows + kBC, lane);
  const Vec aa = dot(ap, ap), bb = dot(bp, bp), cc = dot(cp, cp);
  const Vec3 inverse = Vec3::load(rows + kInverse, lane);
  const OnEdge on_ab = on_edge(ap, ab, inverse.x, aa, bb);
  const OnEdge on_ac = on_edge(ap, ac, inverse.y, aa, cc);
  const OnEdge on_bc = on_edge(bp, bc, inverse.z, bb, cc);

  const Vec to_b = dot(ap, Vec3::load(rows + kToB, lane));
  const Vec to_c = dot(ap, Vec3::load(rows + kToC, lane));
  const Vec to_a = 1.0 - to_b - to_c;
  const Vec3 off = ap - ab * to_b - ac * to_c;
  const auto inside = min(min(to_c, to_b), to_a) > 0.0;

  Vec squared = on_ab.squared;
  const auto ac_nearer = on_ac.squared < squared;
  squared = choose(ac_nearer, on_ac.squared, squared);
  const auto bc_nearer = on_bc.squared < squared;
  squared = choose(bc_nearer, on_bc.squared, squared);
  const Vec off_squared = dot(off, off);
  const auto inside_nearer = inside && off_squared <= squared;
  if constexpr (kWeights) {
    weights[0] = 1.0 - choose(ac_nearer, on_ac.fraction, on_ab.fraction);
    weights[1] = choose(ac_nearer, 0.0, on_ab.fraction);
    weights[2] = choose(ac_nearer, on_ac.fraction, 0.0);
    weights[0] = choose(bc_nearer, 0.0, weights[0]);
    weights[1] = choose(bc_nearer, 1.0 - on_bc.fraction, weights[1]);
    weights[2] = choose(bc_nearer, on_bc.fraction, weights[2]);
    weights[0] = choose(inside_nearer, to_a, weights[0]);
    weights[1] = choose(inside_nearer, to_b, weights[1]);
    weights[2] = choose(inside_nearer, to_c, weights[2]);
  }
  return choose(inside_nearer, off_squared, squared);
}

void squared_distances(const TriangleGroup* groups, std::size_t count, const glm::dvec3& point, double* squared) {
  const Vec3 p = point;
  for (std::size_t g = 0; g < count; ++g) {
    for (std::size_t lane = 0; lane < kGroupSize; lane += kLanes) {
      hn::StoreU(closest<false>(groups[g], lane, p, nullptr).v, Doubles(), squared + g * kGroupSize + lane);
    }
  }
}

void set_box(const TriangleGroup& group, GroupBoxes& boxes, std::size_t i) {
  const Doubles d;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Vec low = Vec::load(group.values[kA + axis]), high = low;
    for (std::size_t lane = 0; lane < kGroupSize; lane += kLanes) {
      for (const std::size_t row : {kA, kB, kC}) {
        const Vec corner = Vec::load(group.values[row + axis] + lane);
        low = min(corner, low);
        high = max(corner, high);
      }
    }
    boxes.low[axis][i] = hn::GetLane(hn::MinOfLanes(d, low.v));
    boxes.high[axis][i] = hn::GetLane(hn::MaxOfLanes(d, high.v));
  }
}

std::size_t near_boxes(const GroupBoxes* boxes, std::size_t count, const glm::dvec3& point, double squared_limit,
                       std::uint32_t* near) {
  const Doubles d;
  const Vec3 p = point;
  std::size_t found = 0;
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t lane = 0; lane < kGroupSize; lane += kLanes) {
      const Vec3 below = Vec3::load(boxes[b].low, lane) - p;
      const Vec3 above = p - Vec3::load(boxes[b].high, lane);
      const Vec3 outside = {max(Vec(0.0), max(above.x, below.x)), max(Vec(0.0), max(above.y, below.y)),
                            max(Vec(0.0), max(above.z, below.z))};
      std::uint8_t bits[8] = {};  // StoreMaskBits writes up to 8 bytes
      hn::StoreMaskBits(d, (dot(outside, outside) <= squared_limit).m, bits);
      for (unsigned left = bits[0]; left != 0; left &= left - 1) {
        near[found++] = static_cast<std::uint32_t>(b * kGroupSize + lane) + std::countr_zero(left);
      }
    }
  }
  return found;
}

void closest_points(const TriangleGroup* groups, const std::uint32_t* chosen, std::size_t count,
                    const glm::dvec3& point, GroupPoints* points) {
  const Vec3 p = point;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t g = chosen[i];
    for (std::size_t lane = 0; lane < kGroupSize; lane += kLanes) {
      Vec weights[3];
      closest<true>(groups[g], lane, p, weights).store(points[g].squared + lane);
      for (std::size_t corner = 0; corner < 3; ++corner) weights[corner].store(points[g].weights[corner] + lane);
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
