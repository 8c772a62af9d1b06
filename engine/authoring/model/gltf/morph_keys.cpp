// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/morph_keys.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>

#include <pelt/pose.h>

namespace pelt {
namespace {

constexpr std::size_t kMaxMorphValues = 64'000'000;

bool are_keyed_alike(const MorphChannel& a, const MorphChannel& b) {
  return a.interpolation == b.interpolation && a.times == b.times;
}

Interpolation common_interpolation(std::span<const MorphChannel* const> channels) {
  Interpolation common = Interpolation::kStep;
  for (const MorphChannel* channel : channels) {
    if (channel != nullptr) common = std::max(common, channel->interpolation);
  }
  return common;
}

// Returns the times of all keys, and an extra one before each step that will become a line.
std::vector<float> common_times(std::span<const MorphChannel* const> channels, Interpolation common) {
  std::vector<float> times;
  for (const MorphChannel* channel : channels) {
    if (channel == nullptr) continue;
    times.insert(times.end(), channel->times.begin(), channel->times.end());
    if (channel->interpolation != Interpolation::kStep || common == Interpolation::kStep) continue;
    for (std::size_t k = 1; k < channel->times.size(); ++k) times.push_back(std::nextafter(channel->times[k], 0.0f));
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

// Returns the change per second at a time between the keys k - 1 and k, ends included; 0 if one of them is missing.
float slope(const MorphChannel& channel, std::size_t k, float time) {
  if (k == 0 || k == channel.times.size() || channel.interpolation == Interpolation::kStep) return 0;
  const double start = channel.times[k - 1];
  const double duration = channel.times[k] - start;
  const auto number = [&](std::size_t key, std::size_t part) -> double {
    return channel.interpolation == Interpolation::kCubicSpline ? channel.values[3 * key + part] : channel.values[key];
  };
  const double rise = (number(k, 1) - number(k - 1, 1)) / duration;
  double result = rise;
  if (channel.interpolation == Interpolation::kCubicSpline) {
    // The derivative of glTF 2.0, appendix C.5.
    const double u = (time - start) / duration;
    result = 6 * u * (1 - u) * rise + (1 - u) * (1 - 3 * u) * number(k - 1, 2) + u * (3 * u - 2) * number(k, 0);
  }
  return static_cast<float>(std::clamp<double>(result, -FLT_MAX, FLT_MAX));
}

// Returns the weight at a time, clamped to the range of floats, which a spline with large tangents may exceed.
float weight(const MorphChannel& channel, float time) {
  const float value = sample(channel, time);
  return std::isnan(value) ? 0 : std::clamp(value, -FLT_MAX, FLT_MAX);
}

float in_slope(const MorphChannel& channel, float time) {
  const auto key = std::lower_bound(channel.times.begin(), channel.times.end(), time);
  return slope(channel, static_cast<std::size_t>(key - channel.times.begin()), time);
}

float out_slope(const MorphChannel& channel, float time) {
  const auto key = std::upper_bound(channel.times.begin(), channel.times.end(), time);
  return slope(channel, static_cast<std::size_t>(key - channel.times.begin()), time);
}

}  // namespace

std::optional<MorphKeys> merge_keys(std::span<const MorphChannel* const> channels, std::span<const float> rests) {
  const MorphChannel& first = **std::ranges::find_if(channels, [](const auto* c) { return c != nullptr; });
  const bool alike = std::ranges::all_of(
      channels, [&](const MorphChannel* channel) { return channel == nullptr || are_keyed_alike(*channel, first); });
  MorphKeys keys;
  keys.interpolation = common_interpolation(channels);
  keys.times = alike ? first.times : common_times(channels, keys.interpolation);
  const bool cubic = keys.interpolation == Interpolation::kCubicSpline;
  const std::size_t rows = keys.times.size() * (cubic ? 3 : 1);
  if (rows > kMaxMorphValues / channels.size()) return std::nullopt;
  keys.values.reserve(rows * channels.size());

  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t part = cubic ? row % 3 : 1;  // in-tangent, value, out-tangent
    const float time = keys.times[cubic ? row / 3 : row];
    for (std::size_t t = 0; t < channels.size(); ++t) {
      const MorphChannel* channel = channels[t];
      const float absent = part == 1 ? rests[t] : 0;
      keys.values.push_back(channel == nullptr ? absent
                            : alike            ? channel->values[row]
                            : part == 1        ? weight(*channel, time)
                            : part == 0        ? in_slope(*channel, time)
                                               : out_slope(*channel, time));
    }
  }
  return keys;
}

}  // namespace pelt
