// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <pelt/dual_quaternion.h>
#include <pelt/result.h>
#include <pelt/rig.h>

#include "engine/deformer/builder.h"

namespace pelt::dual_quaternion {

// Binds by dual quaternion with the model's own weights and returns one binding per target. Error: a target has no
// weights.
Result<std::vector<MeshBinding>> bind(const DualQuaternionParameters& parameters, const DeformerInput& input);

}  // namespace pelt::dual_quaternion
