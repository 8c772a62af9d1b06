// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <pelt/result.h>

#include "engine/authoring/deformer/builder.h"

namespace pelt {

// Binds by a blend of joints with the model's own weights and returns one binding per target. With `exact_normals` the
// rows have gradients of the weights. Error: a target has no weights.
Result<std::vector<MeshBinding>> bind_painted(BlendMode mode, bool exact_normals, const DeformerInput& input);

}  // namespace pelt
