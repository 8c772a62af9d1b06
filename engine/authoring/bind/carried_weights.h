// SPDX-License-Identifier: MIT
// Weights for skins that their drivers alone move.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <pelt/model.h>

#include "engine/authoring/bind/layer_plan.h"

namespace pelt {

// Returns the model with other weights for each skin that is painted to one joint, of which its driver has no weight:
// those of the closest points of the driver. A mesh of a file that names no skeleton is painted so, to its node, and
// linear blend by that would leave it where it stands. The character keeps these weights. Skins with levels of detail
// of the model's keep theirs. Returns nullopt if there is no such skin. The plan must be of the model.
std::optional<Model> carry_weights(const Model& model, const LayerPlan& plan, unsigned threads,
                                   std::vector<std::string>& notes);

}  // namespace pelt
