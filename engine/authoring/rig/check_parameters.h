// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <pelt/deformer_parameters.h>
#include <pelt/result.h>

namespace pelt {

// Refuses parameters that a rig file may not hold. Precondition: the parameters are of a deformer. Errors are
// kInvalidArgument: `what`, the parameter as a JSON pointer, what it must be and what it is.
Result<void> check_parameters(const DeformerParameters& parameters, const std::string& what);

}  // namespace pelt
