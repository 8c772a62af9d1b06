// SPDX-License-Identifier: MIT
#include "engine/mos/windows.h"

#include <algorithm>
#include <cmath>

#include "shaders/spline.h"

namespace pelt::mos {
namespace {

// Each end twice more where it counts three times.
template <class T>
std::vector<T> spread_ends(std::span<const T> values, bool clamp_ends) {
  std::vector<T> result(values.begin(), values.end());
  if (clamp_ends || values.size() < 4) {
    result.insert(result.begin(), 2, values.front());
    result.insert(result.end(), 2, values.back());
  }
  return result;
}

}  // namespace

std::vector<Window> windows_of(std::span<const std::uint32_t> points, bool clamp_ends) {
  const std::vector<std::uint32_t> all = spread_ends(points, clamp_ends);
  std::vector<Window> windows;
  for (std::size_t k = 0; k + 3 < all.size(); ++k) windows.push_back({all[k], all[k + 1], all[k + 2], all[k + 3]});
  return windows;
}

std::vector<float> window_lengths(std::span<const float> lengths, bool clamp_ends) {
  const std::vector<float> all = spread_ends(lengths, clamp_ends);
  std::vector<float> ends;
  const glm::vec4 basis = shared::spline_basis(0.0f);
  for (std::size_t k = 0; k + 2 < all.size(); ++k) {
    const float s = basis.x * all[k] + basis.y * all[k + 1] + basis.z * all[k + 2];
    ends.push_back(ends.empty() ? s : std::max(s, std::nextafter(ends.back(), INFINITY)));
  }
  return ends;
}

WindowPlace place_in(std::span<const glm::vec3> at, const Window& window, float u) {
  const glm::vec4 basis = shared::spline_basis(u);
  const glm::vec4 slope = shared::spline_slope(u);
  glm::vec3 point(0.0f);
  glm::vec3 tangent(0.0f);
  // Relative to one of them, so that what is far from the origin loses nothing.
  for (int k = 1; k < 4; ++k) {
    point += basis[k] * (at[window[static_cast<std::size_t>(k)]] - at[window[0]]);
    tangent += slope[k] * (at[window[static_cast<std::size_t>(k)]] - at[window[0]]);
  }
  const glm::vec3 chord = at[window[3]] - at[window[0]];
  return {at[window[0]] + point, shared::normalize_or(tangent, shared::normalize_or(chord, glm::vec3(1, 0, 0)))};
}

}  // namespace pelt::mos
