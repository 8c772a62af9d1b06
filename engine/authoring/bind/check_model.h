// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt {

// Checks what the deformers rely on; Character::create checks the remainder. Errors are kInvalidArgument and name the
// joint or the mesh.
Result<void> check_model(const Model& model);

}  // namespace pelt
