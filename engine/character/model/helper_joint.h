// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <pelt/result.h>
#include <pelt/skeleton.h>

namespace pelt {

// Largest magnitude of the share of a turn that a helper joint takes.
inline constexpr float kMaxTurnShare = 2;

// The shares of the source's turn that a helper joint takes. Axis: in the source's space, of any length; 0: from the
// source to its children or, without children, on from its parent.
struct TurnShares {
  glm::vec3 axis{0.0f};
  float twist = 0;
  float swing = 0;
};

// Makes a helper joint, with the values that follow from the rest pose. Precondition: the source has a parent.
HelperJoint make_helper_joint(const Skeleton& skeleton, std::uint32_t joint, std::uint32_t source,
                              const TurnShares& shares);

// Sorts helper joints so that helpers come after the helpers that are their sources. Preconditions: those of
// check_helpers, except the order. Errors: kInvalidArgument if helpers depend on each other in a cycle.
Result<void> sort_helpers(Skeleton& skeleton);

// Checks Skeleton::helpers, after the joints' parents. Errors: kInvalidArgument, naming the joint.
Result<void> check_helpers(const Skeleton& skeleton);

}  // namespace pelt
