// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "engine/model/model.h"

namespace pelt::surface_ffd {

// The driver's weights (over the model's bound joints, one row a vertex), with every joint's passage from its parent to
// itself spread along the surface to a length of so many radii of the limb there, or, where the bones beside the joint
// are short, to what lies between the neighbouring joints. Where the weights already pass over that length, where nothing
// joins the two sides, and at roots they stay as they are. The joint's seam, at which the weight is 1/2, stays in place
// up to the taper of the limb. Spread goes by the surface, and only over vertices that follow the joint, what hangs
// from it, or its parent: never from finger to finger or leg to leg. `radii`: one a bound joint, >= 0; 0: not at all. Rows of the result are >= 0 and sum to 1; vertices at one position get the row of the first of them.
// Does not depend on the number of threads (0: all cores).
SparseRows spread_weights(const Mesh& driver, const SparseRows& weights, const Model& model,
                          std::span<const float> radii, unsigned threads = 0);

}  // namespace pelt::surface_ffd
