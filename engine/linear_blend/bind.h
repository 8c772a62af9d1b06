// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "engine/character/builder.h"
#include "engine/core/result.h"
#include "engine/rig/rig.h"

namespace pelt::linear_blend {

// Linear blend with the model's own weights: one binding a target. Errors: a target has no weights.
Result<std::vector<MeshBinding>> bind(const LinearBlendParameters& parameters, const DeformerInput& input);

// The same for any blend of joints.
Result<std::vector<MeshBinding>> bind_painted(BlendMode mode, bool exact_normals, const DeformerInput& input);

}  // namespace pelt::linear_blend
