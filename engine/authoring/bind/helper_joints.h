// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/result.h>
#include <pelt/rig.h>
#include <pelt/skeleton.h>

namespace pelt {

// Adds the helper joints of a rig to a skeleton; one that it has already is replaced. Errors name the helper joint:
// kNotFound for a joint that is not there; kInvalidArgument as check_helpers.
Result<void> add_helper_joints(const Rig& rig, Skeleton& skeleton);

}  // namespace pelt
