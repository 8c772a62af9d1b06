// SPDX-License-Identifier: MIT
// Keys of all morph targets of a mesh, as in one sampler of glTF.
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

// Merges the channels of a mesh's targets, at least one of which is not null; null: the target stays at its rest
// weight. Channels with the same keys keep them. Otherwise all get keys at all times, with the same weights as before:
// steps remain if there are only steps, lines and steps become lines, and cubic splines make all cubic. A step among
// lines or splines then takes as long as from one float to the next. Returns nothing if there would be more than 64
// million values.
std::optional<MorphKeys> merge_keys(std::span<const MorphChannel* const> channels, std::span<const float> rests);

}  // namespace pelt
