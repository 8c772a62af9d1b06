// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <random>
#include <vector>

namespace pelt::mos {

// Returns random points in the unit cube.
inline std::vector<glm::dvec3> scattered(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto coordinate = [&] { return static_cast<double>(random()) / 4294967296.0; };
  std::vector<glm::dvec3> points;
  for (std::size_t i = 0; i < count; ++i) points.emplace_back(coordinate(), coordinate(), coordinate());
  return points;
}

}  // namespace pelt::mos
