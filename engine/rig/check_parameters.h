// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <pelt/deformer_parameters.h>
#include <pelt/result.h>

namespace pelt {

// Refuses what a rig file would not be allowed to hold. Precondition: the parameters are of a deformer. Errors,
// kInvalidArgument: `what`, the parameter as a JSON
// pointer, what it must be and what it is.
Result<void> check_parameters(const DeformerParameters& parameters, const std::string& what);

}  // namespace pelt
