// SPDX-License-Identifier: MIT
#include "engine/character/rows/tension_rings.h"

#include <algorithm>

#include <pelt/tools/weld.h>

#include "shaders/tension/tension.h"

namespace pelt {
namespace {

// A triangle, from one of its corners.
struct Corner {
  std::uint32_t centre, first, last;
};

// Appends the fans of the triangles of a vertex, which are used up.
void append_fans(std::vector<Corner> corners, std::vector<std::uint32_t>& words) {
  const auto find = [&](std::uint32_t centre, std::uint32_t Corner::*at, std::uint32_t vertex) {
    return std::ranges::find_if(corners, [&](const Corner& c) { return c.centre == centre && c.*at == vertex; });
  };
  while (!corners.empty()) {
    auto next = corners.end() - 1;
    // Goes back to the beginning of the fan, once round at most.
    for (std::size_t step = 0; step < corners.size(); ++step) {
      const auto before = find(next->centre, &Corner::last, next->first);
      if (before == corners.end()) break;
      next = before;
    }
    words.insert(words.end(), {next->centre | shared::kRingCentre, next->first});
    while (next != corners.end()) {
      const Corner used = *next;
      words.push_back(used.last);
      corners.erase(next);
      next = find(used.centre, &Corner::first, used.last);
    }
  }
}

}  // namespace

TensionRings tension_rings(std::span<const glm::vec3> points, std::span<const glm::uvec3> triangles) {
  const std::vector<std::uint32_t> welded = weld_by_position(points);
  std::vector<std::vector<Corner>> corners(points.size());
  for (const glm::uvec3& triangle : triangles) {
    for (int c = 0; c < 3; ++c) {
      std::vector<Corner>& round = corners[welded[triangle[c]]];
      if (round.size() < kMaxRingTriangles)
        round.push_back({triangle[c], triangle[(c + 1) % 3], triangle[(c + 2) % 3]});
    }
  }
  TensionRings rings{.slices = {0}, .words = {}};
  std::vector<std::vector<std::uint32_t>> slice(shared::kSliceRows);
  for (std::size_t first = 0; first < points.size(); first += shared::kSliceRows) {
    std::size_t longest = 0;
    for (std::size_t r = 0; r < shared::kSliceRows; ++r) {
      slice[r].clear();
      if (first + r < points.size()) append_fans(corners[welded[first + r]], slice[r]);
      longest = std::max(longest, slice[r].size());
    }
    for (std::size_t k = 0; k < longest; ++k) {
      for (std::size_t r = 0; r < shared::kSliceRows; ++r) {
        const auto own = static_cast<std::uint32_t>(std::min(first + r, points.size() - 1)) | shared::kRingCentre;
        rings.words.push_back(k < slice[r].size() ? slice[r][k] : own);
      }
    }
    rings.slices.push_back(static_cast<std::uint32_t>(rings.words.size()));
  }
  return rings;
}

}  // namespace pelt
