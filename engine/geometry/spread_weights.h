// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <pelt/model.h>

namespace pelt {

// How long the passage of a joint from its parent to itself is to be: the lesser of the two.
struct Passage {
  float radii = 0;  // of the limb there, >= 0; 0: as painted
  float bones = 2;  // times the shorter of the bones beside the joint; 2 is what lies between the neighbouring joints
  bool rigid = false;  // also where no vertex is painted for both sides
};

// The driver's weights (over the model's bound joints, one row a vertex), with the passage to every joint from its
// parent spread along the surface to the length that `passages`, one a bound joint, ask for. Where the weights already
// pass over that length, where the two sides share no skin, and at roots they stay as they are; joints that nothing is
// painted for get nothing. The joint's seam, at which the weight is 1/2, stays in place up to the taper of
// the limb. Spread goes by the surface, and only over vertices that follow the joint, what hangs from it, or its
// parent: never from finger to finger or leg to leg. Rows of the result are >= 0 and sum to 1; vertices at one position
// get the row of the first of them. Does not depend on the number of threads (0: all cores).
SparseRows spread_weights(const Mesh& driver, const SparseRows& weights, const Model& model,
                          std::span<const Passage> passages, unsigned threads = 0);

}  // namespace pelt
