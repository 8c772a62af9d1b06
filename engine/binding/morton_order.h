// SPDX-License-Identifier: MIT
// An order of points in which neighbours lie close together.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace pelt {

// The points along a Morton curve, as their numbers: what is read with neighbours is then read from few places.
std::vector<std::uint32_t> morton_order(std::span<const glm::vec3> points);

}  // namespace pelt
