// SPDX-License-Identifier: MIT
// The B-spline strategy of MOS: a chain's windows of four consecutive control points, each a uniform cubic segment (US
// 2013/0088497, figure 7; docs/mathematics.md section 3).
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "engine/authoring/mos/control_points.h"

namespace pelt::mos {

// Four points of a chain, as indices into ControlPoints::points.
using Window = std::array<std::uint32_t, 4>;

// Returns the windows of a chain, in order. `clamp_ends`: each end point counts three times, as always with fewer than
// four points.
std::vector<Window> windows_of(std::span<const std::uint32_t> points, bool clamp_ends);

// Returns s at the ends of the windows, ascending, one more than there are windows. `lengths`: those of the points
// along the chain, ascending.
std::vector<float> window_lengths(std::span<const float> lengths, bool clamp_ends);

// Returns how far before and after every inner anchor of a chain the spline spreads its bend: the reach of the step of
// a curve (chain::TurningReach) with the same turn of the skin there. It is 0 if the rig lists the points.
std::vector<glm::vec2> turning_reaches(const PointChain& chain, bool clamp_ends);

// A point of the spline in a window, metres, and its unit tangent. `at`: the positions of the points.
struct WindowPoint {
  glm::vec3 point;
  glm::vec3 tangent;
};
WindowPoint place_in(std::span<const glm::vec3> at, const Window& window, float u);

}  // namespace pelt::mos
