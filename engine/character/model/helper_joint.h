// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <pelt/result.h>
#include <pelt/skeleton.h>

namespace pelt {

// Largest share of a turn that a helper joint takes, either way.
inline constexpr float kMaxTurnShare = 2;

// The shares of the source's turn that a helper joint takes. Axis: in the source's space, of any length; 0: from the
// source towards the joints below it or, if there are none, on from its parent.
struct TurnShares {
  glm::vec3 axis{0.0f};
  float twist = 0;
  float swing = 0;
};

// Returns a helper joint with what follows from the rest pose. Precondition: the source has a parent.
HelperJoint make_helper_joint(const Skeleton& skeleton, std::uint32_t joint, std::uint32_t source,
                              const TurnShares& shares);

// Sorts helper joints so that sources that are helpers themselves come first. Preconditions: as check_helpers says, but
// for the order. Errors: kInvalidArgument for helpers that read each other in a circle.
Result<void> sort_helpers(Skeleton& skeleton);

// Checks Skeleton::helpers; the joints' parents must be checked before. Errors: kInvalidArgument, naming the joint.
Result<void> check_helpers(const Skeleton& skeleton);

}  // namespace pelt
