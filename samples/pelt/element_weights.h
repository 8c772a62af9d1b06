// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt::samples {

// How much a joint (by its name) or one element of the palette (by its number) moves each vertex, in [0, 1]; vertices
// of all meshes, packed order. What a driver passes on counts: a joint that moves half of a driver's vertex moves half
// of what this vertex moves. Errors: no such joint, no such element.
Result<std::vector<float>> element_weights(const Character& character, const std::string& element);

}  // namespace pelt::samples
