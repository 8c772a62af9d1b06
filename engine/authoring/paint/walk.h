// SPDX-License-Identifier: MIT
// The shortest ways from the cells of a solid to the bones in it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/authoring/paint/bones.h"
#include "engine/authoring/paint/solid.h"

namespace pelt::paint {

inline constexpr std::size_t kNearest = 6;

// A bone and the length of the way to it.
struct Way {
  float length;        // voxels; infinite: there are no more bones
  std::uint32_t bone;  // index of the bones
};
using Ways = std::array<Way, kNearest>;

// Returns for each cell the ways to the nearest bones, in no particular order (Dijkstra 1959, from all bones at once).
std::vector<Ways> find_ways(const Solid& solid, std::span<const PaintBone> bones);

}  // namespace pelt::paint
