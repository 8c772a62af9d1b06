// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <pelt/model.h>

namespace pelt {

// The wanted length of the transition to a joint from its parent: the lesser of both limits.
struct Transition {
  float radii = 0;      // radii of the limb at the joint, >= 0; 0: as painted
  float bones = 2;      // lengths of the shorter bone at the joint; 2 reaches from one neighbouring joint to the other
  bool rigid = false;   // true: spreads even if no vertex is painted for both sides
  bool patches = true;  // false: a patch of skin, whose seam surrounds most of its area, stays as painted
};

// Spreads the driver's weights (over the model's bound joints, one row per vertex): the transition to every joint from
// its parent takes the length in `transitions`, one per bound joint. Weights stay if their transition already has that
// length, if the two sides share no skin, and at roots; joints without painted weights get none. The joint's seam, on
// which the weight is 1/2, moves only with the taper of the limb. Weights spread along the surface, and only over
// vertices that follow the joint, joints below it, or its parent: never from finger to finger or leg to leg. Rows of
// the result are >= 0 and sum to 1; vertices at one position share the row of the first. The result does not depend on
// the number of threads (0: all CPUs).
SparseRows spread_weights(const Mesh& driver, const SparseRows& weights, const Model& model,
                          std::span<const Transition> transitions, unsigned threads = 0);

}  // namespace pelt
