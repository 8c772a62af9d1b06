// SPDX-License-Identifier: MIT
#include "engine/authoring/paint/walk.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>

#include "engine/authoring/base/stop.h"

namespace pelt::paint {

std::vector<Ways> find_ways(const Solid& solid, std::span<const PaintBone> bones) {
  constexpr Way kNone{std::numeric_limits<float>::infinity(), 0xffffffff};
  Ways none;
  none.fill(kNone);
  std::vector<Ways> ways(solid.voxels.cells.size(), none);
  using Open = std::tuple<float, std::uint32_t, std::uint32_t>;  // length, cell, bone
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
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
    open.emplace(length, cell, bone);
  };
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    for (const std::uint32_t cell : bones[b].cells) offer(cell, b, 0);
  }
  for (std::size_t steps = 0; !open.empty(); ++steps) {
    if (steps % 4096 == 0) stop_if_asked();
    const auto [length, cell, bone] = open.top();
    open.pop();
    const bool current = std::ranges::any_of(
        ways[cell], [b = bone, l = length](const Way& way) { return way.bone == b && way.length == l; });
    if (!current) continue;
    solid.for_linked(cell, [&, b = bone, l = length](std::uint32_t next, float step) { offer(next, b, l + step); });
  }
  return ways;
}

}  // namespace pelt::paint
