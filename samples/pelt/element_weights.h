// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt::samples {

// Returns how much a joint (by name) or a palette entry (by number) moves each vertex, in [0, 1]; vertices of all
// meshes, in packed order. Drivers pass it on: a vertex whose driver's vertices a joint moves by half is moved by half.
// Errors: no such joint, no such entry.
Result<std::vector<float>> element_weights(const Character& character, const std::string& element);

}  // namespace pelt::samples
