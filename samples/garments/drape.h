// SPDX-License-Identifier: MIT
// A simulated coarse cloth that falls onto a cylinder, and a fine cloth for it to drive.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace pelt::samples {

constexpr float kCylinderRadius = 0.5f;  // metres; it lies along the x axis
constexpr float kCylinderLength = 1.6f;

// A grid of (columns + 1) x (rows + 1) points, row after row, and its quads.
struct Cloth {
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;
  std::vector<glm::vec3> positions;  // metres

  std::vector<glm::uvec4> quads() const;
};

// Makes a flat rectangle that hovers over the cylinder, turned a little.
Cloth make_cloth(std::uint32_t columns, std::uint32_t rows);

// Returns the positions of the cloth's points in each frame, 24 frames a second, the first as given. It uses
// position-based dynamics (Mueller et al. 2007): springs between neighbours, springs against bending, gravity, and a
// cylinder with friction.
std::vector<std::vector<glm::vec3>> simulate(const Cloth& cloth, std::uint32_t frames);

// Makes the closed cylinder, to be drawn.
Cloth make_cylinder();

// Returns the distances of points of `fine` from the cylinder's surface, metres, negative inside. Only points count
// whose quad of the coarse cloth, and all quads beside it, have their corners on the cylinder.
std::vector<float> heights(const Cloth& coarse, std::span<const glm::vec3> coarse_posed, const Cloth& fine,
                           std::span<const glm::vec3> fine_posed);

}  // namespace pelt::samples
