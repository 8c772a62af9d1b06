// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <pelt/linear_blend.h>
#include <pelt/result.h>
#include <pelt/rig.h>

#include "engine/deformer/builder.h"

namespace pelt::linear_blend {

// Binds by linear blend with the model's own weights and returns one binding per target. Error: a target has no
// weights.
Result<std::vector<MeshBinding>> bind(const LinearBlendParameters& parameters, const DeformerInput& input);

// Does the same for any blend of joints.
Result<std::vector<MeshBinding>> bind_painted(BlendMode mode, bool exact_normals, const DeformerInput& input);

}  // namespace pelt::linear_blend
