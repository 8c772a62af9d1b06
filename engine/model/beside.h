// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace pelt {

// Returns what is wrong with the name of a file that a model names, which must lie in the model's folder or below it;
// null if nothing is. "leaves the model's folder", for example.
const char* why_not_beside(const std::string& name);

}  // namespace pelt
