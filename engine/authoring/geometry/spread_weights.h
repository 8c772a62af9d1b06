// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <pelt/model.h>

namespace pelt {

// The wanted length of a joint's passage from its parent to itself: the lesser of the two limits.
struct Passage {
  float radii = 0;  // radii of the limb there, >= 0; 0: as painted
  float bones = 2;  // lengths of the shorter bone beside the joint; 2 reaches from one neighbouring joint to the other
  bool rigid = false;  // true: spreads even if no vertex is painted for both sides
};

// Spreads the driver's weights (over the model's bound joints, one row a vertex): the passage to every joint from its
// parent gets the length that `passages`, one a bound joint, asks for. Weights stay as they are if they pass over that
// length already, if the two sides share no skin, and at roots; joints without painted weights get none. The joint's
// seam, where the weight is 1/2, stays in place but for the taper of the limb. Weights spread along the surface, and
// only over vertices that follow the joint, joints below it, or its parent: never from finger to finger or leg to leg.
// Rows of the result are >= 0 and sum to 1; vertices at one position get the row of the first of them. The result does
// not depend on the number of threads (0: all cores).
SparseRows spread_weights(const Mesh& driver, const SparseRows& weights, const Model& model,
                          std::span<const Passage> passages, unsigned threads = 0);

}  // namespace pelt
