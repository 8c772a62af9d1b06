// SPDX-License-Identifier: MIT
// A coarse cloth that falls onto a cylinder, simulated, and a fine one for it to drive.
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

// A rectangle that hovers over the cylinder, flat and a little turned.
Cloth make_cloth(std::uint32_t columns, std::uint32_t rows);

// Where its points are, frame after frame, 24 a second, the first as given: position-based dynamics (Mueller et al.
// 2007) with springs between neighbours, along and across, gravity, and a cylinder that rubs.
std::vector<std::vector<glm::vec3>> simulate(const Cloth& cloth, std::uint32_t frames);

// A cylinder to draw, closed.
Cloth make_cylinder();

// How far points are from the surface of the cylinder, metres, where `coarse` lies on it at frame `posed`: only those
// of `fine` count whose quad of the coarse cloth, and all quads beside it, have their corners on the cylinder.
std::vector<float> heights(const Cloth& coarse, std::span<const glm::vec3> coarse_posed, const Cloth& fine,
                           std::span<const glm::vec3> fine_posed);

}  // namespace pelt::samples
