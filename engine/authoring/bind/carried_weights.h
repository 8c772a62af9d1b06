// SPDX-License-Identifier: MIT
// Weights for skins that follow only their drivers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <pelt/model.h>

#include "engine/authoring/bind/layer_plan.h"

namespace pelt {

// Returns the model with new weights for each skin that is painted to one joint on which its driver has no weight: the
// weights of the closest points of the driver. A mesh in a file without a skeleton is painted like this, to its node,
// and would not move by linear blend. The character keeps these weights. Skins with levels of detail in the model keep
// their own weights. Returns nullopt if there is no such skin. The plan must be of the model.
std::optional<Model> carry_weights(const Model& model, const LayerPlan& plan, unsigned threads,
                                   std::vector<std::string>& notes);

}  // namespace pelt
