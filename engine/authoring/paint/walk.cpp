// SPDX-License-Identifier: MIT
#include "engine/authoring/paint/walk.h"

#include <algorithm>
#include <array>
#include <limits>

#include "engine/authoring/base/stop.h"

namespace pelt::paint {

std::vector<Ways> find_ways(const Solid& solid, std::span<const PaintBone> bones) {
  constexpr Way kNone{std::numeric_limits<float>::infinity(), 0xffffffff};
  Ways none;
  none.fill(kNone);
  std::vector<Ways> ways(solid.voxels.cells.size(), none);
  struct Open {
    float length;
    std::uint32_t cell;
    std::uint32_t bone;
  };
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
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    for (const std::uint32_t cell : bones[b].cells) offer(cell, b, 0);
  }
  std::size_t idle = 0;
  for (std::size_t b = 0; idle < kBuckets; ++b) {
    stop_if_asked();
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

}  // namespace pelt::paint
