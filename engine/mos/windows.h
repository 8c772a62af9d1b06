// SPDX-License-Identifier: MIT
// The B-spline strategy of MOS: a chain's windows of four consecutive control points, each a uniform cubic segment (US
// 2013/0088497, figure 7; docs/mathematics.md section 3).
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/mos/control_points.h"

namespace pelt::mos {

// Four of the chain's points, as indices into ControlPoints::points.
using Window = std::array<std::uint32_t, 4>;

// The windows of a chain, in order. `clamp_ends`: each end point counts three times; so it does with fewer than four.
std::vector<Window> windows_of(std::span<const std::uint32_t> points, bool clamp_ends);

// s at the windows' ends, ascending: one more than windows. `lengths`: of the points along the chain, ascending.
std::vector<float> window_lengths(std::span<const float> lengths, bool clamp_ends);

// How far from every inner anchor of a chain the spline spreads its bend, before and after it: the reach of the step
// of a curve (chain::TurningReach) that turns the skin there as much. 0 where the rig lists the points.
std::vector<glm::vec2> turning_reaches(const PointChain& chain, bool clamp_ends);

// Where the spline is at u of a window, and unit tangent; `at`: of the points. Metres.
struct WindowPlace {
  glm::vec3 point;
  glm::vec3 tangent;
};
WindowPlace place_in(std::span<const glm::vec3> at, const Window& window, float u);

}  // namespace pelt::mos
