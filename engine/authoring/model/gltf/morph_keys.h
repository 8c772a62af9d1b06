// SPDX-License-Identifier: MIT
// Keys of all morph targets of a mesh, as one sampler of glTF holds them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <pelt/animation.h>

namespace pelt {

struct MorphKeys {
  Interpolation interpolation = Interpolation::kLinear;
  std::vector<float> times;
  std::vector<float> values;  // for each key, of all targets; kCubicSpline: all in-tangents, then values, out-tangents
};

// Merges the channels of a mesh's targets, of which one at least is given; null: the target stays at its rest weight.
// Channels that are keyed alike keep their keys. Otherwise all get keys at all times, and the weights stay what they
// are: steps remain steps if there is nothing else, lines and steps become lines, and cubic splines make all cubic. A
// step among lines or splines then takes as long as from one float to the next. Returns nothing where there would be
// more than 64 million values.
std::optional<MorphKeys> merge_keys(std::span<const MorphChannel* const> channels, std::span<const float> rests);

}  // namespace pelt
