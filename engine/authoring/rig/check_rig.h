// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt {

// Checks that a rig file could express this rig. Errors are kInvalidArgument and name the layer or the rig, the member
// as a JSON pointer, what it must be, and what it is.
Result<void> check_rig(const Rig& rig);

}  // namespace pelt
