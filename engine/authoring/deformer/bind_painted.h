// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <pelt/result.h>
#include <pelt/twist.h>

#include "engine/authoring/deformer/builder.h"

namespace pelt {

// Binds by a blend of joints with the model's own weights and returns one binding per target. With `exact_normals` the
// rows have gradients of the weights. `twist`: whether twists spread. Error: a target has no weights.
Result<std::vector<MeshBinding>> bind_painted(BlendMode mode, bool exact_normals, const DeformerInput& input,
                                              Twist twist = Twist::kNone);

}  // namespace pelt
