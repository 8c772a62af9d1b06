// SPDX-License-Identifier: MIT
#include "engine/authoring/mos/windows.h"

#include <algorithm>
#include <cmath>

#include "shaders/curve_skeleton/step_frames.h"
#include "shaders/spline.h"

namespace pelt::mos {
namespace {

// Returns the values with each end repeated twice more if it counts three times.
template <class T>
std::vector<T> pad_ends(std::span<const T> values, bool clamp_ends) {
  std::vector<T> result(values.begin(), values.end());
  if (clamp_ends || values.size() < 4) {
    result.insert(result.begin(), 2, values.front());
    result.insert(result.end(), 2, values.back());
  }
  return result;
}

}  // namespace

std::vector<Window> windows_of(std::span<const std::uint32_t> points, bool clamp_ends) {
  const std::vector<std::uint32_t> all = pad_ends(points, clamp_ends);
  std::vector<Window> windows;
  for (std::size_t k = 0; k + 3 < all.size(); ++k) windows.push_back({all[k], all[k + 1], all[k + 2], all[k + 3]});
  return windows;
}

std::vector<float> window_lengths(std::span<const float> lengths, bool clamp_ends) {
  const std::vector<float> all = pad_ends(lengths, clamp_ends);
  std::vector<float> ends;
  const glm::vec4 basis = shared::spline_basis(0.0f);
  for (std::size_t k = 0; k + 2 < all.size(); ++k) {
    const float s = basis.x * all[k] + basis.y * all[k + 1] + basis.z * all[k + 2];
    ends.push_back(ends.empty() ? s : std::max(s, std::nextafter(ends.back(), INFINITY)));
  }
  return ends;
}

std::vector<glm::vec2> turning_reaches(const PointChain& chain, bool clamp_ends) {
  constexpr int kSamples = 16;  // samples per window
  constexpr float kEase = shared::kStepEase;
  // The area under a step of reach 1 on one side.
  constexpr float kStepArea = 0.5f * (kEase * kEase / 6 + (1 - kEase) / 2) / (1 - kEase / 2);
  const std::vector<float> ends = window_lengths(chain.lengths, clamp_ends);
  std::vector<float> bends;
  if (!chain.bends.empty()) bends = pad_ends(std::span<const float>(chain.bends), clamp_ends);
  std::vector<glm::vec2> reaches(chain.curve.anchors.size(), glm::vec2(0.0f));
  for (std::size_t w = 0; !chain.bends.empty() && w + 1 < ends.size(); ++w) {
    const float width = (ends[w + 1] - ends[w]) / kSamples;
    for (int k = 0; k < kSamples; ++k) {
      const float u = (static_cast<float>(k) + 0.5f) / kSamples;
      const glm::vec4 basis = shared::spline_basis(u);
      const float s = std::lerp(ends[w], ends[w + 1], u);
      const auto first = static_cast<std::size_t>(std::floor(bends[w]));
      const auto last = std::min(static_cast<std::size_t>(std::ceil(bends[w + 3])), reaches.size() - 2);
      for (std::size_t i = first + 1; i <= last; ++i) {
        float share = 0;
        for (int n = 0; n < 4; ++n)
          share +=
              basis[n] * std::clamp(bends[w + static_cast<std::size_t>(n)] - static_cast<float>(i - 1), 0.0f, 1.0f);
        const bool before = s < chain.curve.lengths[i];
        reaches[i][before ? 0 : 1] += (before ? share : 1 - share) * width / kStepArea;
      }
    }
  }
  return reaches;
}

WindowPoint place_in(std::span<const glm::vec3> at, const Window& window, float u) {
  const glm::vec4 basis = shared::spline_basis(u);
  const glm::vec4 slope = shared::spline_slope(u);
  glm::vec3 point(0.0f);
  glm::vec3 tangent(0.0f);
  // Relative to one of the points, to preserve precision far from the origin.
  for (int k = 1; k < 4; ++k) {
    point += basis[k] * (at[window[static_cast<std::size_t>(k)]] - at[window[0]]);
    tangent += slope[k] * (at[window[static_cast<std::size_t>(k)]] - at[window[0]]);
  }
  const glm::vec3 chord = at[window[3]] - at[window[0]];
  return {at[window[0]] + point, shared::normalize_or(tangent, shared::normalize_or(chord, glm::vec3(1, 0, 0)))};
}

}  // namespace pelt::mos
