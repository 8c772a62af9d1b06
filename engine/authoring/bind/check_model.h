// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt {

// Checks the properties that deformers rely on; Character::create checks the others. Errors are kInvalidArgument and
// name the joint or mesh.
Result<void> check_model(const Model& model);

}  // namespace pelt
