// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace pelt {

// Returns for every vertex the first one at the same position (-0 equals 0). Positions must be finite.
std::vector<std::uint32_t> weld_by_position(std::span<const glm::vec3> positions);

}  // namespace pelt
