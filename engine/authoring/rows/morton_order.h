// SPDX-License-Identifier: MIT
// An order of points that puts neighbours close together.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace pelt {

// Returns the indices of the points along a Morton curve, so that data of neighbouring points is close in memory.
std::vector<std::uint32_t> morton_order(std::span<const glm::vec3> points);

}  // namespace pelt
