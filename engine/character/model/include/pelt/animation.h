// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pelt {

enum class ChannelPath : std::uint8_t { kTranslation, kRotation, kScale };
enum class Interpolation : std::uint8_t { kStep, kLinear, kCubicSpline };

// Keys of one property of one joint, as in glTF 2.0 (Appendix C): `values` holds 3 or 4 (rotation, x y z w) floats per
// key; with kCubicSpline in-tangent, value, out-tangent per key. Times ascend strictly, in seconds, >= 0.
struct Channel {
  std::uint32_t joint = 0;
  ChannelPath path = ChannelPath::kTranslation;
  Interpolation interpolation = Interpolation::kLinear;
  std::vector<float> times;
  std::vector<float> values;
};

// Keys of the weight of one morph target; `times` and `interpolation` as in Channel; one value per key, or three with
// kCubicSpline.
struct MorphChannel {
  std::string mesh;          // a mesh of the model
  std::uint32_t target = 0;  // index in Mesh::morph_targets
  Interpolation interpolation = Interpolation::kLinear;
  std::vector<float> times;
  std::vector<float> values;
};

struct Clip {
  std::string name;
  float duration = 0;  // seconds; the last key of any channel
  std::vector<Channel> channels;
  std::vector<MorphChannel> morph_channels;
};

// Returns the clip with that name, or nullptr.
const Clip* find_clip(std::span<const Clip> clips, std::string_view name);

}  // namespace pelt
