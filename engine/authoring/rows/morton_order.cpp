// SPDX-License-Identifier: MIT
#include "engine/authoring/rows/morton_order.h"

#include <meshoptimizer.h>

namespace pelt {

std::vector<std::uint32_t> morton_order(std::span<const glm::vec3> points) {
  std::vector<std::uint32_t> order(points.size());
  if (points.empty()) return order;
  std::vector<unsigned> places(points.size());
  meshopt_spatialSortRemap(places.data(), &points[0].x, points.size(), sizeof(glm::vec3));
  for (std::uint32_t i = 0; i < places.size(); ++i) order[places[i]] = i;
  return order;
}

}  // namespace pelt
