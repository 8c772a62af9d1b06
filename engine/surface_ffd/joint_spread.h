// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "engine/model/model.h"

namespace pelt::surface_ffd {

// How far the passage from its parent to each bound joint is spread (spread_weights.h), in radii of the limb: `radii`
// where they are given, else by what the joint is for.
std::vector<float> joint_spread(const Model& model, std::optional<float> radii);

}  // namespace pelt::surface_ffd
