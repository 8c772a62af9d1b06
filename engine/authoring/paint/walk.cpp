// SPDX-License-Identifier: MIT
#include "engine/authoring/paint/walk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/authoring/base/stop.h"

namespace pelt::paint {

template <std::size_t kCount>
std::vector<Ways<kCount>> find_ways(const Solid& solid, std::span<const std::vector<Seed>> seeds) {
  constexpr Way kNone{std::numeric_limits<float>::infinity(), 0xffffffff};
  Ways<kCount> none;
  none.fill(kNone);
  std::vector<Ways<kCount>> ways(solid.voxels.cells.size(), none);
  struct Open {
    float length;
    std::uint32_t cell;
    std::uint32_t bone;
  };
  std::vector<Open> begin;
  for (std::uint32_t b = 0; b < seeds.size(); ++b) {
    for (const Seed& seed : seeds[b]) begin.push_back({seed.length, seed.cell, b});
  }
  std::ranges::stable_sort(begin, {}, &Open::length);
  // The ends of ways whose length is from b to b + 1, at b % kBuckets: no step is longer than 2.
  constexpr std::size_t kBuckets = 3;
  std::array<std::vector<Open>, kBuckets> buckets;
  // Keeps a way if it is shorter than the one to the same bone, or else than the longest.
  const auto offer = [&](std::uint32_t cell, std::uint32_t bone, float length) {
    Way* place = &ways[cell][0];
    for (Way& way : ways[cell]) {
      if (way.bone == bone) {
        place = &way;
        break;
      }
      if (way.length > place->length) place = &way;
    }
    if (length >= place->length) return;
    *place = {length, bone};
    buckets[static_cast<std::size_t>(length) % kBuckets].push_back({length, cell, bone});
  };
  std::size_t idle = 0;
  auto next_seed = begin.begin();
  for (std::size_t b = 0; idle < kBuckets || next_seed != begin.end(); ++b) {
    stop_if_asked();
    for (; next_seed != begin.end() && next_seed->length < static_cast<float>(b + 1); ++next_seed) {
      offer(next_seed->cell, next_seed->bone, next_seed->length);
    }
    std::vector<Open>& bucket = buckets[b % kBuckets];
    idle = bucket.empty() ? idle + 1 : 0;
    // Steps of length 1 or more lead to later buckets, or to none.
    for (std::size_t i = 0; i < bucket.size(); ++i) {
      const Open open = bucket[i];
      const bool current = std::ranges::any_of(
          ways[open.cell], [&](const Way& way) { return way.bone == open.bone && way.length == open.length; });
      if (!current) continue;
      solid.for_linked(open.cell, [&](std::uint32_t next, float step) { offer(next, open.bone, open.length + step); });
    }
    bucket.clear();
  }
  return ways;
}

void add_seen(const Solid& solid, const glm::dvec3& point, std::vector<Seed>& seeds) {
  constexpr int kRays = 128;
  constexpr std::size_t kLeast = kRays * 4 / 5;
  const std::size_t before = seeds.size();
  for (int i = 0; i < kRays; ++i) {  // evenly over a sphere, by the golden angle
    const double z = 1 - (2 * i + 1.0) / kRays;
    const double angle = i * std::numbers::pi * (3 - std::sqrt(5.0));
    const glm::dvec3 way(std::sqrt(1 - z * z) * std::cos(angle), std::sqrt(1 - z * z) * std::sin(angle), z);
    for (double length = 1;; ++length) {
      const glm::ivec3 cell(glm::round(point + length * way));
      if (glm::any(glm::lessThan(cell, glm::ivec3(0))) || glm::any(glm::greaterThanEqual(cell, solid.voxels.extent))) {
        break;
      }
      const std::uint32_t number = solid.voxels.at(cell);
      if (number == skeletonize::kOutside) continue;
      seeds.push_back({number, static_cast<float>(length)});
      break;
    }
  }
  if (seeds.size() - before < kLeast) seeds.resize(before);
}

template std::vector<Ways<1>> find_ways(const Solid&, std::span<const std::vector<Seed>>);
template std::vector<Ways<kNearest>> find_ways(const Solid&, std::span<const std::vector<Seed>>);

}  // namespace pelt::paint
