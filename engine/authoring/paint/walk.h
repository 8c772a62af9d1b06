// SPDX-License-Identifier: MIT
// The shortest ways from the cells of a solid to the bones in it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/authoring/paint/solid.h"

namespace pelt::paint {

inline constexpr std::size_t kNearest = 6;

// A bone and the length of the way to it.
struct Way {
  float length;        // voxels; infinite: there are no more bones
  std::uint32_t bone;  // index of the bones
};
template <std::size_t kCount>
using Ways = std::array<Way, kCount>;

// A cell in which ways to a bone end.
struct Seed {
  std::uint32_t cell = 0;
  float length = 0;  // voxels: of the rest of the way
};

// Returns for each cell the ways to the nearest bones, in no particular order (Dijkstra 1959, from all bones at once).
// `seeds`: of each bone. kCount: 1 or kNearest.
template <std::size_t kCount>
std::vector<Ways<kCount>> find_ways(const Solid& solid, std::span<const std::vector<Seed>> seeds);

// Adds the cells that are seen from a point outside of them, if they are nearly all round it: bones in clothes without
// a body are not in the skin, but move it. `point`: in voxels.
void add_seen(const Solid& solid, const glm::dvec3& point, std::vector<Seed>& seeds);

}  // namespace pelt::paint
