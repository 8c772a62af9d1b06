// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <glm/glm.hpp>
#include <set>
#include <utility>
#include <vector>

namespace pelt {

// Returns true if there are triangles, and every edge lies in exactly two, which run along it in opposite directions.
inline bool is_watertight(const std::vector<glm::uvec3>& triangles) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> directed;
  for (const glm::uvec3& t : triangles) {
    for (int k = 0; k < 3; ++k) {
      if (!directed.emplace(t[k], t[(k + 1) % 3]).second) return false;
    }
  }
  return !directed.empty() && std::all_of(directed.begin(), directed.end(), [&](const auto& e) {
    return directed.contains({e.second, e.first});
  });
}

}  // namespace pelt
