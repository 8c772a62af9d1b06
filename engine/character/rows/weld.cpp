// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>
#include <tuple>

#include <pelt/tools/weld.h>

namespace pelt {

std::vector<std::uint32_t> weld_by_position(std::span<const glm::vec3> positions) {
  std::vector<std::uint32_t> order(positions.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::uint32_t i) { return std::tuple(positions[i].x, positions[i].y, positions[i].z, i); };
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  std::vector<std::uint32_t> result(positions.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool alike = i > 0 && positions[order[i]] == positions[order[i - 1]];
    result[order[i]] = alike ? result[order[i - 1]] : order[i];
  }
  return result;
}

}  // namespace pelt
