// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include <pelt/model.h>

#include "engine/geometry/spread_weights.h"

namespace pelt::surface_ffd {

// How wide the passage to each bound joint is to be: `radii` where they are given, else by what the joint is for, where
// the bones beside it have room. A ball's or one of no kind is 3 radii; a hinge's 1, so that an elbow keeps its point.
// Twist helpers, patches of skin and joints that are scaled stay as they are painted.
std::vector<Passage> joint_passages(const Model& model, std::optional<float> radii);

}  // namespace pelt::surface_ffd
